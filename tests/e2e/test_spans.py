"""Answers as OpenTelemetry spans, as a receiver gets them of the Lambda."""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

import boto3
import pytest

from selfrag import bootstrap
from selfrag.domain.errors import Misconfigured, TemporarilyUnavailable
from selfrag.runtime.observability import hash_text
from selfrag.send_spans.handler import handler
from tests.support.aws.resources import TABLES
from tests.support.aws.stack import Execution
from tests.support.doubles.model_server import ModelServer
from tests.support.doubles.otlp_receiver import OtlpReceiver, attributes_of
from tests.support.local import QUESTION, local_stack

Answered = tuple[Execution, dict[str, Any]]


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Iterator[OtlpReceiver]:
    with OtlpReceiver() as server:
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


def sent(receiver: OtlpReceiver, event: dict[str, Any]) -> list[dict[str, Any]]:
    receiver.requests.clear()
    assert handler(event, None) == {"spans": len(receiver.spans)}
    return receiver.spans


def test_a_stored_answer_is_one_trace_with_its_verdicts_and_a_span_for_each_step(
    receiver: OtlpReceiver, answered: Answered
) -> None:
    execution, event = answered
    spans = sent(receiver, event)
    assert {span["traceId"] for span in spans} == {execution.id}
    [root] = [span for span in spans if not span["parentSpanId"]]
    steps = [span for span in spans if span["parentSpanId"] == root["spanId"]]
    assert execution.output is not None
    assert [span["name"] for span in steps] == list(dict.fromkeys(execution.output["path"]))
    assert all(int(span["endTimeUnixNano"]) <= int(root["endTimeUnixNano"]) for span in spans)
    attributes, usage = attributes_of(root), execution.output["usage"]
    assert (attributes["selfrag.status"], attributes["selfrag.cost_usd"]) == ("answered", usage["cost_usd"])
    names = [f"gen_ai.evaluation.{name}" for name in ("name", "score.label", "score.value")]
    verdicts = {tuple(attributes_of(span).get(name) for name in names) for span in spans}
    reflection = execution.output["reflection"]
    assert verdicts - {(None, None, None)} == {
        ("Retrieve", reflection["retrieve"]["decision"], None),
        *(("IsRel", verdict["label"], verdict["score"]) for verdict in reflection["relevance"]),
        ("IsSup", reflection["support"]["level"], None),
        ("IsUse", None, reflection["utility"]["score"]),
    }


def test_no_text_is_sent_and_a_question_is_known_by_its_hash(receiver: OtlpReceiver, answered: Answered) -> None:
    execution, event = answered
    assert execution.output is not None
    sent(receiver, event)
    [(_, body)] = receiver.requests
    texts = (QUESTION["question"], "Fact number", execution.output["citations"][0]["document"])
    assert not [text for text in texts if text.encode() in body]
    assert hash_text(QUESTION["question"]).encode() in body


def test_the_headers_are_those_of_the_secret(receiver: OtlpReceiver, answered: Answered) -> None:
    sent(receiver, answered[1])
    assert (receiver.requests[0][0]["authorization"], receiver.requests[0][0]["x-team"]) == ("Basic abc", "answers")
    wrong = bootstrap.using(secrets=lambda name, setting, anew=False: "only-a-key")
    with wrong, pytest.raises(Misconfigured, match="name=value") as refused:
        handler(answered[1], None)
    assert "only-a-key" not in str(refused.value)


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
