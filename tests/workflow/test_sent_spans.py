"""Answers that are stored become spans at a collector, and a collector that takes none costs no answer."""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

import boto3
import pytest
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes

from cli.spans.made import trace_of
from selfrag import bootstrap
from selfrag.domain.errors import Misconfigured, TemporarilyUnavailable
from selfrag.domain.history import epoch_seconds
from selfrag.domain.spans import Span
from selfrag.runtime.observability import hashed
from send_spans.handler import handler
from tests.support.aws.resources import TABLES
from tests.support.aws.stack import Execution
from tests.support.doubles.model_server import ModelServer
from tests.support.doubles.otlp_receiver import OtlpReceiver, attributes_of
from tests.support.local import QUESTION, local_stack

HEADERS = "Authorization=Basic%20abc,x-team=answers"


@pytest.fixture(scope="module")
def asked() -> tuple[Execution, dict[str, Any]]:
    """Return a question that was answered, and the event that the table's stream makes of its item."""
    with ModelServer() as model, local_stack(model) as stack:
        execution = stack.execute(QUESTION)
        key = {"id": {"S": execution.id}}
        item = boto3.client("dynamodb").get_item(TableName=TABLES["answers_table"][0], Key=key)["Item"]
    return execution, {"Records": [{"eventName": "INSERT", "dynamodb": {"Keys": key, "NewImage": item}}]}


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[OtlpReceiver]:
    with OtlpReceiver() as server:
        monkeypatch.setenv("SELFRAG_OTLP_ENDPOINT", server.url)
        monkeypatch.setenv("SELFRAG_OTLP_SECRET", "otlp")
        with bootstrap.using(secrets=lambda name, setting, anew=False: HEADERS):
            yield server


def evaluations(attributes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the verdicts that spans have, in a fixed order."""
    names = ("name", "score.label", "score.value")
    told = [{name: each.get(f"gen_ai.evaluation.{name}") for name in names} for each in attributes]
    return sorted((each for each in told if each["name"]), key=str)


def within(span: Span) -> Iterator[dict[str, Any]]:
    yield dict(span.attributes)
    for child in span.children:
        yield from within(child)


def test_a_stored_answer_is_the_trace_that_the_export_of_its_history_is_with_the_same_verdicts(
    collector: OtlpReceiver, asked: tuple[Execution, dict[str, Any]]
) -> None:
    execution, event = asked
    assert handler(event, None) == {"spans": len(collector.spans)}
    assert {span.trace_id.hex() for span in collector.spans} == {execution.id}
    sent = [attributes_of(span) for span in collector.spans]
    exported = evaluations(list(within(trace_of(execution.id, execution.history))))
    assert {each["name"] for each in exported} == {"Retrieve", "IsRel", "IsSup", "IsUse"}
    assert evaluations(sent) == exported
    known = {value for name, value in vars(gen_ai_attributes).items() if name.startswith("GEN_AI_")}
    assert {name for each in sent for name in each if name.startswith("gen_ai.")} <= known


def test_each_step_has_a_span_within_the_question_that_ends_when_the_answer_was_stored(
    collector: OtlpReceiver, asked: tuple[Execution, dict[str, Any]]
) -> None:
    execution, event = asked
    assert execution.output is not None
    handler(event, None)
    [root] = [span for span in collector.spans if not span.parent_span_id]
    steps = [span for span in collector.spans if span.parent_span_id == root.span_id]
    assert [span.name for span in steps] == list(dict.fromkeys(execution.output["path"]))
    assert len({span.span_id for span in collector.spans}) == len(collector.spans)
    for span in collector.spans:
        assert root.start_time_unix_nano <= span.start_time_unix_nano <= span.end_time_unix_nano
        assert span.end_time_unix_nano <= root.end_time_unix_nano
    ended = epoch_seconds(execution.history[-1])
    assert abs(root.end_time_unix_nano / 1e9 - ended) <= 2
    told, usage = attributes_of(root), execution.output["usage"]
    assert (told["selfrag.status"], told["selfrag.cost_usd"]) == (execution.output["status"], usage["cost_usd"])
    output = [attributes_of(span).get("gen_ai.usage.output_tokens", 0) for span in steps]
    assert sum(output) == usage["output_tokens"] > 0


def test_no_text_is_in_what_is_sent_and_the_question_is_known_by_its_hash(
    collector: OtlpReceiver, asked: tuple[Execution, dict[str, Any]]
) -> None:
    execution, event = asked
    assert execution.output is not None
    handler(event, None)
    [(_, body)] = collector.requests
    assert hashed(QUESTION["question"]).encode() in body
    reflection = execution.output["reflection"]
    texts = [QUESTION["question"], execution.output["answer"], "Fact number"]
    texts += [one["document"] for one in reflection["relevance"]]
    texts += [claim["claim"] for claim in reflection["support"]["claims"]]
    assert not [text for text in texts if text not in str(event)]
    assert [text for text in texts if text.encode() in body] == []
    assert b"reason" not in body


def test_the_headers_are_those_of_the_secret(
    collector: OtlpReceiver, asked: tuple[Execution, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    handler(asked[1], None)
    [(headers, _)] = collector.requests
    assert (headers["authorization"], headers["x-team"]) == ("Basic abc", "answers")
    wrong = bootstrap.using(secrets=lambda name, setting, anew=False: "only-a-key")
    with wrong, pytest.raises(Misconfigured, match="name=value") as told:
        handler(asked[1], None)
    assert "only-a-key" not in str(told.value)


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (HTTPStatus.SERVICE_UNAVAILABLE, TemporarilyUnavailable),
        (HTTPStatus.TOO_MANY_REQUESTS, TemporarilyUnavailable),
        (HTTPStatus.UNAUTHORIZED, Misconfigured),
        (HTTPStatus.MOVED_PERMANENTLY, Misconfigured),
    ],
)
def test_what_a_collector_refuses_is_left_to_lambda_which_sends_the_same_again(
    collector: OtlpReceiver, asked: tuple[Execution, dict[str, Any]], status: HTTPStatus, error: type[Exception]
) -> None:
    collector.status = status
    with pytest.raises(error):
        handler(asked[1], None)
    collector.status = HTTPStatus.OK
    handler(asked[1], None)
    (_, first), (_, again) = collector.requests
    assert first == again


def test_a_collector_that_cannot_be_reached_is_an_error_that_is_tried_again(
    asked: tuple[Execution, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SELFRAG_OTLP_ENDPOINT", "http://127.0.0.1:9")
    bootstrap.forget()
    with pytest.raises(TemporarilyUnavailable, match="cannot be reached"):
        handler(asked[1], None)
    bootstrap.forget()
