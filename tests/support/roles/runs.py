"""Runs of the whole system that take every path, each AWS call of them recorded."""

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import boto3
import httpx2
import pytest

from selfrag import bootstrap
from selfrag.agents.handler import handler as agents_handler
from selfrag.api.edge.gateway_event import GatewayEvent
from selfrag.api.streaming import program
from selfrag.api.streaming.relay import relay
from selfrag_cli.local.serving.gateway import serving
from selfrag_cli.local.serving.invocation import threaded_handler
from selfrag_cli.local.stack import INGESTION, QUESTION
from tests.support.aws.resources import CALLERS_TABLE, DOCUMENTS_BUCKET, WORK_BUCKET, bind
from tests.support.aws.stack import MACHINE_ARN, LocalStack, deployed_handlers, running_stack
from tests.support.documents.scans import scanned_pdf
from tests.support.doubles.lambda_double import LambdaDouble
from tests.support.doubles.model_server import ModelServer, cite_everything
from tests.support.doubles.opensearch_double import OpenSearchDouble
from tests.support.doubles.stand_in import WebServer
from tests.support.doubles.textract_double import TextractDouble
from tests.support.doubles.titan_double import TitanDouble
from tests.support.ingesting import object_of
from tests.support.roles.recorded import NOBODY, Calls, Handler, as_caller, recording
from tests.support.streaming import asked_by_the_gateway

ROOT = Path(__file__).parents[3]
# The steps of ingestion that read objects written by another step or a user.
READERS = ("parse_document", "recognize_pages", "split_document", "embed_passages", "index_passages")


@contextmanager
def every_path() -> Iterator[Calls]:
    """Yield the calls of runs that take every path.

    Documents: put, changed, deleted, unreadable, gone before each step that reads them; replies that are lost.
    Questions: direct, search, repair, rewrite, web, follow-up, repeat, fault, deletion; by each other strategy.
    Agents: a list of documents, a search.
    """
    gone: dict[str, int] = {}
    with ExitStack() as opened:
        model = opened.enter_context(ModelServer())
        titan = opened.enter_context(TitanDouble())
        textract = opened.enter_context(TextractDouble(object_of))
        collection = opened.enter_context(OpenSearchDouble({"FOOBARKEY": "FOOBARSECRET"}))
        web = opened.enter_context(WebServer(ROOT / "cli" / "selfrag_cli" / "sample" / "web"))
        environment = {
            "SELFRAG_COLLECTION_ENDPOINT": collection.url,
            "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": titan.url,
            "AWS_ENDPOINT_URL_TEXTRACT": textract.url,
            "SELFRAG_TEXT_RECOGNITION": "lines",
            "SELFRAG_DAILY_MAX_USD": "1000",
            "SELFRAG_MAX_COST_USD": "1",
            "SELFRAG_MODEL_BASE_URL": model.url,
            "SELFRAG_MODEL_SECRET": "model-key",
            "SELFRAG_WEB_BASE_URL": web.url,
            "SELFRAG_WEB_SEARCH": "true",
            "SELFRAG_WEB_SECRET": "web-key",
            "SELFRAG_VIEW_SECONDS": "0",
        }
        deployed = deployed_handlers(QUESTION, INGESTION)
        alone = threading.Lock()
        handlers = {
            name: _emptied_before(name, _cold(as_caller(name, each), alone), gone) for name, each in deployed.items()
        }
        answering = LambdaDouble({"ask": threaded_handler(), "retrieve": handlers["retrieve"]})
        environment |= opened.enter_context(answering).environment()
        running = running_stack(environment, {}, handlers=handlers, pause=lambda seconds: None)
        stack = opened.enter_context(running)
        for secret in ("model-key", "web-key"):
            boto3.client("secretsmanager").create_secret(Name=secret, SecretString="test")
        bind("key#k", "c")
        for caller in (
            {"caller": {"S": "key#every"}, "all_collections": {"BOOL": True}},
            {"caller": {"S": "collection#c"}},
        ):
            boto3.client("dynamodb").put_item(TableName=CALLERS_TABLE, Item=caller)
        calls = opened.enter_context(recording())
        _ingest_everything(stack, collection, gone)
        url = opened.enter_context(serving(0, stack.watch, handler=as_caller("ask", threaded_handler())))
        api = httpx2.Client(base_url=url, headers={"x-api-key": "k"}, timeout=40)
        _ask_everything(opened.enter_context(api), model)
        _ask_by_other_strategies(api, model)
        _ask_as_agents()
        yield calls


def _cold(handler: Handler, alone: threading.Lock) -> Handler:
    """Return a handler with empty caches, like a separate Lambda: each reads its own secret.

    A lock prevents speculative steps from sharing caches.
    """

    def cold(event: dict[str, Any], context: Any) -> Any:
        with alone:
            bootstrap.forget()
            return handler(event, context)

    return cold


def _emptied_before(name: str, handler: Handler, gone: dict[str, int]) -> Handler:
    """A handler before which somebody empties the buckets, if `gone` has its name; so many calls are let pass first."""

    def empty(event: dict[str, Any], context: Any) -> None:
        for bucket in (DOCUMENTS_BUCKET, WORK_BUCKET):
            boto3.resource("s3").Bucket(bucket).objects.all().delete()

    def emptied(event: dict[str, Any], context: Any) -> Any:
        if gone.get(name) == 0:
            as_caller(NOBODY, empty)(event, context)
        elif name in gone:
            gone[name] -= 1
        return handler(event, context)

    return emptied


def _ingest_everything(stack: LocalStack, collection: OpenSearchDouble, gone: dict[str, int]) -> None:
    s3 = boto3.client("s3")

    def ingest(key: str) -> str:
        execution = stack.ingest(key)
        assert execution.output, execution.error
        return f"{execution.output['status']} {execution.output['reason']}".strip()

    for days in (24, 25):
        s3.put_object(Bucket=DOCUMENTS_BUCKET, Key="c/leave.md", Body=f"# Leave\n\nLeave is {days} days.\n")
        assert ingest("c/leave.md") == "ready"
    s3.put_object(Bucket=DOCUMENTS_BUCKET, Key="c/hours.md", Body="Work is from 9 to 5.\n")
    assert ingest("c/hours.md") == "ready"
    s3.delete_object(Bucket=DOCUMENTS_BUCKET, Key="c/hours.md")
    assert ingest("c/hours.md") == "removed"
    s3.put_object(Bucket=DOCUMENTS_BUCKET, Key="c/broken.md", Body=b"\xff\xfe")
    assert ingest("c/broken.md").startswith("failed")
    # Recognised, and again when it is known.
    for _ in range(2):
        s3.put_object(Bucket=DOCUMENTS_BUCKET, Key="c/scan.pdf", Body=scanned_pdf("Leave ends in May."))
        assert ingest("c/scan.pdf") == "ready"
        s3.delete_object(Bucket=DOCUMENTS_BUCKET, Key="c/scan.pdf")
        assert ingest("c/scan.pdf") == "removed"
    for number, reader in enumerate(READERS):
        text = f"Edition {number}.\n"
        key, body = ("c/gone.pdf", scanned_pdf(text)) if reader == "recognize_pages" else ("c/gone.md", text.encode())
        s3.put_object(Bucket=DOCUMENTS_BUCKET, Key=key, Body=body)
        gone[reader] = 0
        ended = ingest(key)
        gone.clear()
        assert ended == "removed" if reader == "parse_document" else "TemporarilyUnavailable" in ended, ended
    # The reply to a write is lost: the same step finds the write, or the removal of leftovers does.
    for key, passed, end in (("c/lost.md", {}, "ready"), ("c/left.md", {"index_passages": 1}, "failed")):
        s3.put_object(Bucket=DOCUMENTS_BUCKET, Key=key, Body=f"Of {key}.\n")
        collection.knobs.lose_next_reply = True
        gone.update(passed)
        assert ingest(key).startswith(end)
        gone.clear()
    s3.put_object(Bucket=DOCUMENTS_BUCKET, Key="c/left.md", Body="Once more.\n")
    assert ingest("c/left.md") == "ready"


def _ask_everything(api: httpx2.Client, model: ModelServer) -> None:
    def answer(question: str, **more: Any) -> Any:
        reply = api.post("/v1/ask", json={"question": question, **more})
        assert reply.status_code == 200, reply.text
        return reply.json()

    first = answer("How many days of leave are there?")
    assert first["status"] == "answered"
    assert api.post(f"/v1/questions/{first['id']}/feedback", json={"useful": True}).status_code == 200
    answer("And in May?", previous=first["id"])
    model.answers["grade_relevance"] = lambda body: {"reason": "r", "score": 0.1}
    assert (
        "SearchWeb"
        in answer("What is the nominal voltage of lithium thionyl chloride cells?", policy={"web_search": True})["path"]
    )
    del model.answers["grade_relevance"]

    held = threading.Event()
    model.answers["generate"] = lambda body: (held.wait(20), cite_everything(body))[1]
    headers = {"Idempotency-Key": "k"}
    location = api.post("/v1/questions", json={"question": "How many days?"}, headers=headers).headers["location"]
    assert api.get(location, params={"trace": True}).json()["status"] == "running"
    assert api.get(location, headers={"x-api-key": "every"}).json()["status"] == "running"
    held.set()
    asking = asked_by_the_gateway("POST", "/v1/ask", x_api_key="k", accept="text/event-stream")
    streamed = as_caller("stream", _streamed)({**asking, "body": '{"question": "How many hours?"}'}, None)
    assert "event: answer" in streamed
    while api.get(location).json()["status"] == "running":
        threading.Event().wait(0.05)
    for question in (f"/v1/questions/{first['id']}", location):
        assert api.delete(question).status_code == 200
    # An execution that cannot start leaves no claim on its key.
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("SELFRAG_STANDARD_MACHINE_ARN", MACHINE_ARN + "-gone")
        bootstrap.forget()
        assert api.post("/v1/questions", json={"question": "A?"}, headers={"Idempotency-Key": "l"}).status_code == 500
    bootstrap.forget()

    assert api.post("/v1/documents", json={"key": "c/new.md", "size": 10}).status_code == 201
    document = next(each for each in api.get("/v1/documents").json()["documents"] if each["key"] == "c/leave.md")
    assert api.get(f"/v1/documents/{document['id']}").status_code == 200
    assert "25 days" in api.get(f"/v1/documents/{document['id']}/text").json()["passages"][0]["text"]
    assert api.delete(f"/v1/documents/{document['id']}").status_code == 202


def _ask_as_agents() -> None:
    """Let an agent list documents, and search in a collection that its key reaches with all others."""
    answer = as_caller("agents", agents_handler)
    for name, arguments in (
        ("documents", {"collection": "c"}),
        ("search", {"query": "leave", "filters": {"collections": ["c"]}}),
    ):
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        event = asked_by_the_gateway("POST", "/mcp", x_api_key="every", accept="application/json, text/event-stream")
        # Playwright leaves an event loop in the main thread.
        with ThreadPoolExecutor(1) as beside:
            pending = beside.submit(answer, {**event, "body": json.dumps(call)}, SimpleNamespace(aws_request_id="1"))
        reply = pending.result()
        assert not json.loads(reply["body"])["result"].get("isError"), reply["body"]


def _streamed(event: GatewayEvent, context: Any) -> str:
    """Return all that is streamed of a question."""
    return "".join(relay(program.ask, event, lambda question_id: not threading.Event().wait(0.05)).body)


def _ask_by_other_strategies(api: httpx2.Client, model: ModelServer) -> None:
    """Ask both ways by the paper's strategies, with a search of the web and a follow-up."""

    def later(question: str, **more: Any) -> Any:
        location = api.post("/v1/questions", json={"question": question, **more}).headers["location"]
        assert api.get(location, params={"trace": True}).status_code == 200
        while (reply := api.get(location).json())["status"] == "running":
            threading.Event().wait(0.05)
        return reply

    for strategy in ("candidates", "segments"):
        asked = {"policy": {"strategy": strategy}}
        first = later("How many days of leave are there?", **asked)
        assert first["status"] in ("answered", "partial"), first
        assert later("And in May?", previous=first["id"], **asked)["status"] in ("answered", "partial")
    asked = {
        "question": "How high are the waves in sea state 6?",
        "policy": {"strategy": "candidates", "web_search": True},
    }
    model.answers["grade_relevance"] = lambda body: {"reason": "r", "score": 0.1}
    assert "SearchWeb" in api.post("/v1/ask", json=asked).json()["path"]
    del model.answers["grade_relevance"]
