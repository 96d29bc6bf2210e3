"""Answers as OpenTelemetry's spans and events, and as Langfuse's scores, as a receiver gets them of the Lambda."""

import json
from base64 import b64encode
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

import boto3
import pytest
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes

from selfrag import bootstrap
from selfrag.domain.errors import Misconfigured, SelfragError
from selfrag.runtime.observability import hash_text
from selfrag.send_spans.handler import handler
from tests.support.aws.resources import TABLES
from tests.support.aws.stack import Execution
from tests.support.command import Command
from tests.support.doubles.model_server import ModelServer
from tests.support.doubles.otlp_receiver import OtlpReceiver
from tests.support.local import QUESTION, local_stack

Answered = tuple[Execution, dict[str, Any]]
SECRETS = {"otlp": "Authorization=Basic%20abc,x-team=answers", "langfuse": "pk-lf-1:sk-lf-2"}
CAPTURE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Iterator[OtlpReceiver]:
    with OtlpReceiver() as server:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.url)
        monkeypatch.setenv("SELFRAG_OTLP_SECRET", "otlp")
        monkeypatch.setenv("SELFRAG_LANGFUSE_SECRET", "langfuse")
        with bootstrap.using(secrets=lambda name, setting, anew=False: SECRETS[name]):
            yield server


@pytest.fixture(scope="module")
def answered() -> Answered:
    """Return a question that was answered, and the event that the table's stream makes of its item."""
    with ModelServer() as model, local_stack(model) as stack:
        execution = stack.execute(QUESTION)
        key = {"id": {"S": execution.id}}
        item = boto3.client("dynamodb").get_item(TableName=TABLES["answers_table"][0], Key=key)["Item"]
    return execution, {"Records": [{"eventName": "INSERT", "dynamodb": {"Keys": key, "NewImage": item}}]}


def test_stored_answer_is_one_trace_with_spans_and_verdict_events(receiver: OtlpReceiver, answered: Answered) -> None:
    execution, event = answered
    response: Any = execution.output
    assert handler(event, None) == {"spans": len(receiver.spans), "evaluations": len(receiver.events)}
    spans = {span["id"]: span for span in receiver.spans}
    assert {span["trace"] for span in [*receiver.spans, *receiver.events]} == {execution.id}
    [root, *steps] = receiver.spans
    assert {span["parent"] for span in steps} == {root["id"]}
    assert [span["attributes"]["selfrag.step"] for span in steps] == list(dict.fromkeys(response["path"]))
    assert all(root["start"] <= span["start"] <= span["end"] <= root["end"] for span in steps)
    assert root["attributes"]["gen_ai.agent.name"] == "selfrag"
    assert root["attributes"]["selfrag.cost_usd"] == response["usage"]["cost_usd"]
    [search] = [span for span in steps if span["name"] == "retrieval"]
    reflection = response["reflection"]
    assert json.loads(search["attributes"]["gen_ai.retrieval.documents"]) == [
        {"id": verdict["passage_id"], "score": verdict["score"]} for verdict in reflection["relevance"]
    ]
    judged = [
        (spans[each["span"]]["name"], *(each["attributes"].get(f"gen_ai.evaluation.{name}") for name in
        ("name", "score.label", "score.value")))
        for each in receiver.events
    ]  # fmt: skip
    assert {each["name"] for each in receiver.events} == {"gen_ai.evaluation.result"}
    claims = [("Generate", "IsSup.claim", claim["support"], 1.0) for claim in reflection["support"]["claims"]]
    assert judged == [
        (root["name"], "Retrieve", reflection["retrieve"]["decision"], None),
        *(("retrieval", "IsRel", verdict["label"], verdict["score"]) for verdict in reflection["relevance"]),
        ("Generate", "IsSup", "fully_supported", 1.0),
        *claims,
        ("Generate", "IsUse", None, reflection["utility"]["score"]),
    ]


def test_the_names_are_those_of_the_conventions(receiver: OtlpReceiver, answered: Answered) -> None:
    handler(answered[1], None)
    sent = {name for each in [*receiver.spans, *receiver.events] for name in each["attributes"]}
    published = {value for value in vars(gen_ai_attributes).values() if isinstance(value, str)}
    # Conventions after the package's, v0.1.0, call a workflow an agent.
    assert {name for name in sent if not name.startswith("selfrag.")} <= published - {"gen_ai.workflow.name"}


def test_spans_carry_no_text_except_verdict_reasons_when_allowed(
    receiver: OtlpReceiver, answered: Answered, monkeypatch: pytest.MonkeyPatch
) -> None:
    execution, event = answered
    response: Any = execution.output
    texts = (QUESTION["question"], response["answer"], response["citations"][0]["document"])
    monkeypatch.setenv("LANGFUSE_HOST", receiver.url)
    for allowed in (False, True):
        receiver.requests.clear()
        monkeypatch.setenv(CAPTURE, str(allowed).lower())
        with bootstrap.using():
            handler(event, None)
        bodies = b"".join(body for _, _, body in receiver.requests)
        assert not [text for text in texts if text.encode() in bodies]
        explained = {"gen_ai.evaluation.explanation" in each["attributes"] for each in receiver.events}
        assert (True in explained, any(score.comment for score in receiver.scores.values())) == (allowed, allowed)
        assert hash_text(QUESTION["question"]).encode() in bodies


def test_the_headers_are_those_of_the_secret(receiver: OtlpReceiver, answered: Answered) -> None:
    handler(answered[1], None)
    for _, headers, _ in receiver.requests:
        assert (headers["authorization"], headers["x-team"]) == ("Basic abc", "answers")
    wrong = bootstrap.using(secrets=lambda name, setting, anew=False: "only-a-key")
    with wrong, pytest.raises(Misconfigured, match="name=value") as refused:
        handler(answered[1], None)
    assert "only-a-key" not in str(refused.value)


def test_batch_refused_by_a_collector_is_retried_by_lambda(
    receiver: OtlpReceiver, answered: Answered, monkeypatch: pytest.MonkeyPatch
) -> None:
    for status in (HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.UNAUTHORIZED):
        receiver.requests.clear()
        receiver.status = status
        # Too short for a second try of the exporter's own.
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "0.5")
        with pytest.raises(SelfragError, match="took no spans"):
            handler(answered[1], None)
        receiver.status = HTTPStatus.OK
        monkeypatch.delenv("OTEL_EXPORTER_OTLP_TIMEOUT")
        handler(answered[1], None)
        (_, _, first), (_, _, again), _ = receiver.requests
        assert first == again


def test_laptop_question_sends_spans_and_is_answered_when_collector_refuses(
    read: Command, receiver: OtlpReceiver
) -> None:
    services = (
        ("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.url),
        ("LANGFUSE_HOST", receiver.url),
        ("LANGFUSE_PUBLIC_KEY", "pk-lf-1"),
        ("LANGFUSE_SECRET_KEY", "sk-lf-2"),
    )
    command = Command(read.home, services)
    response = command("ask", "--json", "How many weeks of parental leave are there?").response
    assert {each["trace"] for each in [*receiver.spans, *receiver.events]} == {response["id"]}
    assert {score.traceId for score in receiver.scores.values()} == {response["id"]}
    receiver.status = HTTPStatus.UNAUTHORIZED
    refused = command("ask", "--json", "How many weeks of parental leave are there?")
    assert (refused.code, refused.response["status"]) == (0, response["status"])
    assert "was not sent: the collector at 127.0.0.1" in refused.err


def test_langfuse_gets_one_score_per_verdict_and_spans_without_collector(
    receiver: OtlpReceiver, answered: Answered, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANGFUSE_HOST", receiver.url)
    monkeypatch.delenv("OTEL_EXPORTER_OTLP_ENDPOINT")
    execution, event = answered
    response: Any = execution.output
    for _ in range(2):
        assert handler(event, None)["evaluations"] == len(receiver.scores)
    observations = {(span["trace"], span["id"]) for span in receiver.spans}
    assert {(score.traceId, score.observationId) for score in receiver.scores.values()} <= observations
    names = [(score.name, score.value) for score in receiver.scores.values()]
    reflection = response["reflection"]
    assert {("Retrieve", "yes"), ("IsSup", 1.0), ("IsUse", float(reflection["utility"]["score"]))} <= set(names)
    relevance = [value for name, value in names if name == "IsRel"]
    assert sorted(relevance) == sorted(verdict["score"] for verdict in reflection["relevance"])
    keys = f"Basic {b64encode(SECRETS['langfuse'].encode()).decode()}"
    assert {headers["authorization"] for _, headers, _ in receiver.requests} == {keys}
