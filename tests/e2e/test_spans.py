"""Questions as OpenTelemetry spans, as a receiver gets them of `selfrag trace --export` and of the Lambda."""

import json
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any

import boto3
import pytest

from selfrag import bootstrap
from selfrag.domain.errors import Misconfigured, TemporarilyUnavailable
from selfrag.domain.history import steps_of
from selfrag.domain.spans import history_span
from selfrag.runtime.observability import hashed
from selfrag.send_spans.handler import handler
from selfrag_cli.histories import ExecutionHistory
from selfrag_cli.local.stores.histories import keep_history
from tests.e2e.conftest import Run
from tests.support.aws.resources import TABLES
from tests.support.aws.stack import Execution
from tests.support.doubles.model_server import ModelServer
from tests.support.doubles.otlp_receiver import OtlpReceiver, attributes_of
from tests.support.local import QUESTION, local_stack

ERROR = 2  # opentelemetry/proto/trace/v1/trace.proto, Status.StatusCode
Answered = tuple[Execution, dict[str, Any]]


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Iterator[OtlpReceiver]:
    with OtlpReceiver() as server:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.url)
        monkeypatch.setenv("SELFRAG_OTLP_ENDPOINT", server.url)
        monkeypatch.setenv("SELFRAG_OTLP_SECRET", "otlp")
        with bootstrap.using(secrets=lambda name, setting, anew=False: "Authorization=Basic%20abc,x-team=answers"):
            yield server


@pytest.fixture(scope="module")
def answered() -> Answered:
    """Return a question that was answered, and the event that the table's stream makes of its item."""
    with ModelServer() as model, local_stack(model) as stack:
        execution = stack.execute(QUESTION)
        key = {"id": {"S": execution.id}}
        item = boto3.client("dynamodb").get_item(TableName=TABLES["answers_table"][0], Key=key)["Item"]
    return execution, {"Records": [{"eventName": "INSERT", "dynamodb": {"Keys": key, "NewImage": item}}]}


@pytest.fixture
def stored(answered: Answered, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Execution:
    """Return the question, of which the laptop has the history."""
    monkeypatch.setenv("SELFRAG_HOME", str(tmp_path / "state"))
    keep_history(ExecutionHistory(answered[0].id, answered[0].history))
    return answered[0]


def exported(receiver: OtlpReceiver, here: Run, *options: str) -> list[dict[str, Any]]:
    receiver.requests.clear()
    ended = here("trace", "--export", *options)
    assert ended.code == 0, ended.err
    assert ended.out.startswith(f"{len(receiver.spans)} spans of question ")
    return receiver.spans


def sent(receiver: OtlpReceiver, event: dict[str, Any]) -> list[dict[str, Any]]:
    receiver.requests.clear()
    assert handler(event, None) == {"spans": len(receiver.spans)}
    return receiver.spans


def verdicts_of(spans: list[dict[str, Any]]) -> list[list[Any]]:
    """Return the verdicts that spans have, in a fixed order."""
    names = [f"gen_ai.evaluation.{name}" for name in ("name", "score.label", "score.value")]
    found = [[attributes_of(span).get(name) for name in names] for span in spans]
    return sorted((verdict for verdict in found if verdict[0]), key=str)


def test_an_exported_question_is_one_trace_with_a_span_for_each_step_and_for_each_call(
    receiver: OtlpReceiver, here: Run, stored: Execution
) -> None:
    spans = {span["spanId"]: span for span in exported(receiver, here)}
    [root] = [span for span in spans.values() if not span["parentSpanId"]]
    steps = [span for span in spans.values() if span["parentSpanId"] == root["spanId"]]
    calls = [span for span in spans.values() if span["name"].startswith("chat ")]
    assert {span["traceId"] for span in spans.values()} == {stored.id}
    assert sorted(span["name"] for span in steps) == sorted(step.name for step in steps_of(stored.history))
    assert stored.output is not None
    usage = stored.output["usage"]
    assert (len(calls), len(spans)) == (usage["model_calls"], 1 + len(steps) + len(calls))
    for call in calls:
        step, attributes = spans[call["parentSpanId"]], attributes_of(call)
        assert step["name"].lower() == attributes["selfrag.step"].replace("_", "")
        assert int(step["startTimeUnixNano"]) <= int(call["startTimeUnixNano"]) <= int(call["endTimeUnixNano"])
    tokens = sum(attributes_of(call)["gen_ai.usage.output_tokens"] for call in calls)
    dollars = sum(attributes_of(call)["gen_ai.usage.cost"] for call in calls)
    assert tokens == usage["output_tokens"]
    assert dollars == pytest.approx(usage["cost_usd"], abs=1e-6 * len(usage["by_step"])) != 0
    assert [span["spanId"] for span in exported(receiver, here)] == list(spans), "sent again, it is the same trace"


def test_a_stored_answer_is_the_same_trace_with_the_same_verdicts_and_a_span_for_each_step(
    receiver: OtlpReceiver, here: Run, stored: Execution, answered: Answered
) -> None:
    of_history, of_answer = exported(receiver, here), sent(receiver, answered[1])
    assert {span["traceId"] for span in of_answer} == {stored.id}
    assert {name for name, *_ in verdicts_of(of_history)} == {"Retrieve", "IsRel", "IsSup", "IsUse"}
    assert verdicts_of(of_answer) == verdicts_of(of_history)
    [root] = [span for span in of_answer if not span["parentSpanId"]]
    steps = [span for span in of_answer if span["parentSpanId"] == root["spanId"]]
    assert stored.output is not None
    assert [span["name"] for span in steps] == list(dict.fromkeys(stored.output["path"]))
    assert all(int(span["endTimeUnixNano"]) <= int(root["endTimeUnixNano"]) for span in of_answer)
    attributes, usage = attributes_of(root), stored.output["usage"]
    assert (attributes["selfrag.status"], attributes["selfrag.cost_usd"]) == ("answered", usage["cost_usd"])


def test_no_text_is_sent_unless_it_is_asked_for_and_a_stored_question_is_known_by_its_hash(
    receiver: OtlpReceiver, here: Run, stored: Execution, answered: Answered
) -> None:
    assert stored.output is not None
    texts = [QUESTION["question"], "Fact number", stored.output["citations"][0]["document"]]

    def sent_texts() -> list[str]:
        return [text for text in texts if text.encode() in receiver.requests[0][1]]

    exported(receiver, here)
    assert sent_texts() == []
    exported(receiver, here, "--content")
    assert sent_texts() == texts
    sent(receiver, answered[1])
    assert sent_texts() == []
    assert hashed(QUESTION["question"]).encode() in receiver.requests[0][1]


def test_a_step_that_failed_is_an_error_and_its_cause_stays_here(
    receiver: OtlpReceiver, here: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SELFRAG_HOME", str(tmp_path / "state"))
    with ModelServer(fault=lambda step, n: 401) as model, local_stack(model) as stack:
        execution = stack.execute(QUESTION)
    keep_history(ExecutionHistory(execution.id, execution.history))
    failed = [span for span in exported(receiver, here) if span["status"].get("code") == ERROR]
    expected = [(step.name, step.error) for step in steps_of(execution.history) if step.error]
    assert sorted((span["name"], attributes_of(span)["error.type"]) for span in failed) == sorted(expected) != []
    causes = [step.cause.encode() for step in steps_of(execution.history) if step.cause]
    assert not [cause for cause in causes if cause in receiver.requests[0][1]]


def test_the_headers_and_the_service_are_those_of_the_settings(
    receiver: OtlpReceiver, here: Run, stored: Execution, answered: Answered, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent(receiver, answered[1])
    assert (receiver.requests[0][0]["authorization"], receiver.requests[0][0]["x-team"]) == ("Basic abc", "answers")
    wrong = bootstrap.using(secrets=lambda name, setting, anew=False: "only-a-key")
    with wrong, pytest.raises(Misconfigured, match="name=value") as refused:
        handler(answered[1], None)
    assert "only-a-key" not in str(refused.value)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "Authorization=Bearer%20x")
    monkeypatch.setenv("OTEL_SERVICE_NAME", "answers")
    exported(receiver, here)
    assert receiver.requests[0][0]["authorization"] == "Bearer x"
    assert attributes_of(receiver.resources[0]["resource"]) == {"service.name": "answers"}


def test_a_batch_that_a_collector_refuses_is_left_to_lambda_which_sends_the_same_again(
    receiver: OtlpReceiver, answered: Answered
) -> None:
    for status, error in (
        (HTTPStatus.SERVICE_UNAVAILABLE, TemporarilyUnavailable),
        (HTTPStatus.UNAUTHORIZED, Misconfigured),
    ):
        receiver.requests.clear()
        receiver.status = status
        with pytest.raises(error):
            handler(answered[1], None)
        receiver.status = HTTPStatus.OK
        handler(answered[1], None)
        (_, first), (_, again) = receiver.requests
        assert first == again


def test_what_cannot_be_exported_is_refused_in_one_line(
    receiver: OtlpReceiver, here: Run, stored: Execution, monkeypatch: pytest.MonkeyPatch
) -> None:
    receiver.status = HTTPStatus.UNAUTHORIZED
    refused = here("trace", "--export")
    assert (refused.code, len(refused.err.splitlines()), "401" in refused.err) == (2, 1, True)
    receiver.requests.clear()
    keep_history(ExecutionHistory("at-work", stored.history[:-1]))
    early = here("trace", "at-work", "--export")
    assert (early.code, "still at work" in early.err, receiver.requests) == (2, True, [])
    monkeypatch.delenv("OTEL_EXPORTER_OTLP_ENDPOINT")
    nowhere = here("trace", stored.id, "--export")
    assert (nowhere.code, "OTEL_EXPORTER_OTLP_ENDPOINT has to say" in nowhere.err) == (2, True)


@pytest.mark.parametrize(
    ("model", "provider"),
    [("claude-haiku-5-5", "anthropic"), ("eu.anthropic.claude-sonnet-5-5-v1:0", "aws.bedrock"), ("rule", "selfrag")],
)
def test_the_provider_of_a_call_follows_from_its_model(answered: Answered, model: str, provider: str) -> None:
    history = json.loads(json.dumps(answered[0].history, default=str).replace("claude-haiku-5-5", model))
    calls = [call for step in history_span("q", history).children for call in step.children]
    assert {call.attributes["gen_ai.provider.name"] for call in calls if call.name == f"chat {model}"} == {provider}


def test_an_execution_of_a_deployment_is_read_by_its_arn(receiver: OtlpReceiver, here: Run) -> None:
    with ModelServer() as model, local_stack(model) as stack:
        execution = stack.execute(QUESTION)
        assert execution.output is not None
        arn = execution.output["execution"]["arn"]
        assert QUESTION["question"] in here("trace", arn).out
        assert json.loads(here("trace", arn, "--json").out)[-1]["type"] == "ExecutionSucceeded"
        assert {span["traceId"] for span in exported(receiver, here, arn)} == {execution.id}
        gone = here("trace", arn.replace(execution.id, "gone"))
    assert (gone.code, "There is no execution" in gone.err) == (2, True)
    express = here("trace", "arn:aws:states:eu-west-1:123456789012:express:selfrag-express:abc:def")
    assert (express.code, "Standard executions alone" in express.err) == (2, True)
