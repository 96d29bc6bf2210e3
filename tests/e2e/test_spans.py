"""Traces of questions as OpenTelemetry spans, as a receiver of OTLP gets them."""

import json
import sys
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes

from cli.local.stores.histories import keep_history
from cli.spans.made import trace_of
from selfrag.domain.history import steps_of
from tests.e2e.conftest import Run
from tests.support.aws.stack import Execution
from tests.support.doubles.model_server import ModelServer
from tests.support.doubles.otlp_receiver import OtlpReceiver, attributes_of
from tests.support.local import QUESTION, local_stack

ERROR = 2  # opentelemetry/proto/trace/v1/trace.proto, Status.StatusCode


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Iterator[OtlpReceiver]:
    with OtlpReceiver() as server:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.url)
        yield server


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Execution:
    """Return a question that was answered, and is kept."""
    monkeypatch.setenv("SELFRAG_HOME", str(tmp_path / "state"))
    with ModelServer() as model, local_stack(model) as stack:
        execution = stack.execute(QUESTION)
    keep_history(execution.id, execution.history)
    return execution


def sent(receiver: OtlpReceiver, here: Run, *options: str) -> list[Any]:
    receiver.requests.clear()
    ended = here("trace", "--export", *options)
    assert ended.code == 0, ended.err
    assert ended.out.startswith(f"{len(receiver.spans)} spans of question ")
    return receiver.spans


def usage_of(execution: Execution) -> dict[str, Any]:
    assert execution.output is not None
    usage: dict[str, Any] = execution.output["usage"]
    return usage


def test_a_question_is_one_trace_with_a_span_for_each_step_and_for_each_call(
    receiver: OtlpReceiver, here: Run, asked: Execution
) -> None:
    spans = sent(receiver, here)
    names = {span.span_id: span.name for span in spans}
    parents = {span.span_id: span.parent_span_id for span in spans}
    assert {span.trace_id.hex() for span in spans} == {asked.id}
    [root] = [span for span in spans if not span.parent_span_id]
    steps = [span for span in spans if parents[span.span_id] == root.span_id]
    calls = [span for span in spans if span not in steps and span is not root]
    assert sorted(span.name for span in steps) == sorted(step.name for step in steps_of(asked.history))
    assert (len(calls), len(names)) == (usage_of(asked)["model_calls"], len(spans))
    for call in calls:
        attributes = attributes_of(call)
        assert call.name == f"chat {attributes['gen_ai.request.model']}"
        step = names[parents[call.span_id]]
        assert step.lower() == attributes["selfrag.step"].replace("_", "")
        [of_step] = [span for span in steps if span.span_id == parents[call.span_id]]
        assert root.start_time_unix_nano <= of_step.start_time_unix_nano <= call.start_time_unix_nano
        assert call.end_time_unix_nano <= of_step.end_time_unix_nano <= root.end_time_unix_nano


def test_tokens_and_dollars_are_attributes_by_the_conventions_names(
    receiver: OtlpReceiver, here: Run, asked: Execution
) -> None:
    spans = sent(receiver, here)
    calls = [attributes_of(span) for span in spans if span.name.startswith("chat ")]
    usage = usage_of(asked)

    def total(name: str) -> float:
        return float(sum(attributes[name] for attributes in calls))

    assert total("gen_ai.usage.output_tokens") == usage["output_tokens"]
    cached = total("gen_ai.usage.cache_read.input_tokens") + total("gen_ai.usage.cache_creation.input_tokens")
    assert total("gen_ai.usage.input_tokens") - cached == usage["input_tokens"]
    # The response has the dollars of each step to a millionth.
    assert total("gen_ai.usage.cost") == pytest.approx(usage["cost_usd"], abs=1e-6 * len(usage["by_step"])) != 0
    [root] = [attributes_of(span) for span in spans if span.name == "invoke_workflow selfrag"]
    assert root["selfrag.cost_usd"] == pytest.approx(usage["cost_usd"])
    known = {value for name, value in vars(gen_ai_attributes).items() if name.startswith("GEN_AI_")}
    used = {name for span in spans for name in attributes_of(span) if name.startswith("gen_ai.")}
    assert used - known == {"gen_ai.usage.cost"}
    assert {attributes["gen_ai.provider.name"] for attributes in calls} == {"anthropic"}


def test_the_span_of_a_grader_has_its_verdict_as_a_label_and_a_score(
    receiver: OtlpReceiver, here: Run, asked: Execution
) -> None:
    assert asked.output is not None
    verdicts = asked.output["reflection"]
    told: dict[str, list[tuple[Any, Any]]] = {}
    for attributes in map(attributes_of, sent(receiver, here)):
        if token := attributes.get("gen_ai.evaluation.name"):
            score = (attributes.get(f"gen_ai.evaluation.score.{name}") for name in ("label", "value"))
            told.setdefault(token, []).append((*score,))
            assert attributes["selfrag.judged_by"] == "model"
    assert told == {
        "Retrieve": [(verdicts["retrieve"]["decision"], None)],
        "IsRel": [(one["label"], one["score"]) for one in verdicts["relevance"]],
        "IsSup": [(verdicts["support"]["level"], None)],
        "IsUse": [(None, verdicts["utility"]["score"])],
    }


def test_no_word_of_the_question_and_the_passages_leaves_the_laptop_unless_it_is_asked_for(
    receiver: OtlpReceiver, here: Run, asked: Execution
) -> None:
    assert asked.output is not None
    texts = [QUESTION["question"], "Fact number", asked.output["citations"][0]["document"]]
    for text in texts:
        sent(receiver, here)
        assert not [body for _, body in receiver.requests if text.encode() in body], text
        sent(receiver, here, "--content")
        assert [body for _, body in receiver.requests if text.encode() in body], text


def test_a_question_that_is_sent_again_is_the_same_trace(receiver: OtlpReceiver, here: Run, asked: Execution) -> None:
    first, again = ([(span.trace_id, span.span_id, span.name) for span in sent(receiver, here)] for _ in range(2))
    assert first == again


def test_a_step_that_failed_is_an_error_and_its_cause_stays_here(
    receiver: OtlpReceiver, here: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SELFRAG_HOME", str(tmp_path / "state"))
    with ModelServer(fault=lambda step, n: 401) as model, local_stack(model) as stack:
        execution = stack.execute(QUESTION)
    keep_history(execution.id, execution.history)
    failed = [span for span in sent(receiver, here) if span.status.code == ERROR]
    expected = [(step.name, step.error) for step in steps_of(execution.history) if step.error]
    assert sorted((span.name, attributes_of(span)["error.type"]) for span in failed) == sorted(expected)
    assert expected
    causes = [step.cause for step in steps_of(execution.history) if step.cause]
    assert causes
    assert not [cause for cause in causes for _, body in receiver.requests if cause.encode() in body]


def test_opentelemetrys_own_variables_say_who_sends_and_with_which_key(
    receiver: OtlpReceiver, here: Run, asked: Execution, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent(receiver, here)
    assert attributes_of(receiver.resources[0].resource)["service.name"] == "selfrag"
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "service.name=answers,deployment.environment.name=staging")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "Authorization=Basic%20abc")
    # What other programs are told to leave out is sent when somebody asks for it.
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", "always_off")
    sent(receiver, here)
    resource = attributes_of(receiver.resources[0].resource)
    assert (resource["service.name"], resource["deployment.environment.name"]) == ("answers", "staging")
    assert receiver.requests[0][0]["authorization"] == "Basic abc"


def test_a_receiver_that_takes_nothing_is_told_in_one_line(
    receiver: OtlpReceiver, here: Run, asked: Execution, monkeypatch: pytest.MonkeyPatch
) -> None:
    receiver.status = HTTPStatus.UNAUTHORIZED
    refused = here("trace", "--export")
    assert (refused.code, len(refused.err.splitlines())) == (2, 1)
    assert "401" in refused.err
    monkeypatch.delenv("OTEL_EXPORTER_OTLP_ENDPOINT")
    nowhere = here("trace", "--export")
    assert (nowhere.code, "OTEL_EXPORTER_OTLP_ENDPOINT has to say" in nowhere.err) == (2, True)


def test_without_opentelemetry_it_is_said_how_to_install_it(
    receiver: OtlpReceiver, here: Run, asked: Execution, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    monkeypatch.delitem(sys.modules, "cli.spans.sending", raising=False)
    missing = here("trace", "--export")
    assert (missing.code, '--editable ".[traces]"' in missing.err) == (2, True)


@pytest.mark.parametrize(
    ("model", "provider"),
    [
        ("claude-haiku-5-5", "anthropic"),
        ("eu.anthropic.claude-sonnet-5-5-v1:0", "aws.bedrock"),
        ("anthropic.claude-haiku-5-5-v1:0", "aws.bedrock"),
        ("rule", "selfrag"),
    ],
)
def test_who_served_a_model_is_told_by_its_id(asked: Execution, model: str, provider: str) -> None:
    history = json.loads(json.dumps(asked.history, default=str).replace("claude-haiku-5-5", model))
    calls = [call for step in trace_of(asked.id, history).children for call in step.children]
    of_model = {call.attributes["gen_ai.provider.name"] for call in calls if call.name == f"chat {model}"}
    assert of_model == {provider}


def test_an_execution_of_a_deployment_is_read_by_its_arn(receiver: OtlpReceiver, here: Run) -> None:
    with ModelServer() as model, local_stack(model) as stack:
        execution = stack.execute(QUESTION)
        assert execution.output is not None
        arn = execution.output["execution"]["arn"]
        assert QUESTION["question"] in here("trace", arn).out
        assert json.loads(here("trace", arn, "--json").out)[-1]["type"] == "ExecutionSucceeded"
        spans = sent(receiver, here, arn)
        assert {span.trace_id.hex() for span in spans} == {execution.id}
        gone = here("trace", arn.replace(execution.id, "gone"))
    assert (gone.code, "There is no execution" in gone.err) == (2, True)
    express = here("trace", "arn:aws:states:eu-west-1:123456789012:express:selfrag-express:abc:def")
    assert (express.code, "Standard executions alone" in express.err) == (2, True)


def test_a_question_at_work_has_no_spans_yet(receiver: OtlpReceiver, here: Run, asked: Execution) -> None:
    keep_history("at-work", asked.history[:-1])
    early = here("trace", "at-work", "--export")
    assert (early.code, "still at work" in early.err, receiver.requests) == (2, True, [])
