"""docs/permissions.md says what each role may do: the AWS calls of full runs, none missing and none never used."""

import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path
from typing import Any

import boto3
import httpx2
import pytest

from cli.local.aws.definitions import INGESTION, QUESTION
from cli.local.aws.resources import DOCUMENTS_BUCKET, DOCUMENTS_TABLE, TABLES
from cli.local.aws.stack import MACHINE_ARN, LocalStack, deployed_handlers, running_stack
from cli.local.offline.web import WebServer
from cli.local.serving.gateway import serving, threaded_handler
from selfrag import bootstrap
from tests.support.doubles.model_server import ModelServer, cite_everything
from tests.support.doubles.opensearch_double import OpenSearchDouble
from tests.support.doubles.titan_double import TitanDouble
from tests.support.recorded import Calls, Handler, as_caller, recording

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "permissions.md").read_text(encoding="utf-8")
Pairs = set[tuple[str, str]]
# What S3 asks for before it shows an object's head.
GRANTED_AS = {"s3:HeadObject": "s3:GetObject"}


def rows(heading: str) -> Pairs:
    """The (who, action) pairs of the table under a heading."""
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    found = re.findall(r"^\| `([\w*]+)` \| (`[^|]+`) \|", section, re.M)
    return {(who, action) for who, actions in found for action in re.findall(r"`([^`]+)`", actions)}


@pytest.fixture(scope="module")
def recorded() -> Iterator[Calls]:
    """What was called in runs that take every path.

    Documents: put, changed, deleted, unreadable.
    Questions: direct, search, repair, rewrite, web, follow-up, repeat, fault.
    """
    with (
        ModelServer() as model,
        TitanDouble() as titan,
        OpenSearchDouble({"FOOBARKEY": "FOOBARSECRET"}) as collection,
        WebServer(ROOT / "docs" / "web") as web,
    ):
        environment = {
            "SELFRAG_COLLECTION_ENDPOINT": collection.url,
            "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": titan.url,
            "SELFRAG_MODEL_BASE_URL": model.url,
            "SELFRAG_MODEL_SECRET": "model-key",
            "SELFRAG_WEB_BASE_URL": web.url,
            "SELFRAG_WEB_SECRET": "web-key",
            "SELFRAG_COLLECTIONS": '["c"]',
        }
        deployed = deployed_handlers(QUESTION, INGESTION)
        handlers = {name: as_caller(name, _in_a_new_process(handler)) for name, handler in deployed.items()}
        secrets = {"model-key": "test", "web-key": "test"}
        with (
            running_stack(environment, secrets, handlers=handlers) as stack,
            pytest.MonkeyPatch.context() as patched,
        ):
            patched.setattr(ThreadPoolExecutor, "submit", _in_the_callers_name(ThreadPoolExecutor.submit))
            # One after the other: what a machine calls by itself is recorded as the workflow's.
            with recording() as ingesting:
                _ingest_everything(stack)
            api_handler = as_caller("ask", threaded_handler())
            with (
                recording() as asking,
                serving(handler=api_handler) as url,
                httpx2.Client(base_url=url, timeout=40) as api,
            ):
                _ask_everything(api, model)
            by_machine = {("ingestion" if who == "workflow" else who, *what) for who, *what in ingesting}
            yield {(who, GRANTED_AS.get(action, action), resource) for who, action, resource in asking | by_machine}


def _in_a_new_process(handler: Handler) -> Handler:
    """A handler that finds nothing of what another Lambda's process keeps: each reads its own secret."""

    def cold(event: dict[str, Any], context: Any) -> Any:
        bootstrap.forget()
        return handler(event, context)

    return cold


def _in_the_callers_name(submit: Callable[..., Any]) -> Callable[..., Any]:
    """`submit` of a pool whose threads call AWS as the handler that started them."""

    def submit_with_context(self: Any, work: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        return submit(self, copy_context().run, work, *arguments, **named)

    return submit_with_context


def _ingest_everything(stack: LocalStack) -> None:
    s3 = boto3.client("s3")

    def ingest(key: str) -> str:
        execution = stack.ingest(key)
        assert execution.output, execution.error
        return str(execution.output["status"])

    for days in (24, 25):
        s3.put_object(Bucket=DOCUMENTS_BUCKET, Key="c/leave.md", Body=f"# Leave\n\nLeave is {days} days.\n")
        assert ingest("c/leave.md") == "ready"
    s3.put_object(Bucket=DOCUMENTS_BUCKET, Key="c/hours.md", Body="Work is from 9 to 5.\n")
    assert ingest("c/hours.md") == "ready"
    s3.delete_object(Bucket=DOCUMENTS_BUCKET, Key="c/hours.md")
    assert ingest("c/hours.md") == "removed"
    s3.put_object(Bucket=DOCUMENTS_BUCKET, Key="c/broken.md", Body=b"\xff\xfe")
    assert ingest("c/broken.md") == "failed"


def _ask_everything(api: httpx2.Client, model: ModelServer) -> None:
    def answer(question: str, **more: Any) -> Any:
        reply = api.post("/v1/ask", json={"question": question, **more})
        assert reply.status_code == 200, reply.text
        return reply.json()

    first = answer("How many days of leave are there?")
    assert first["status"] == "answered"
    answer("And in May?", previous=first["id"])
    model.answers["grade_relevance"] = lambda body: {"reason": "r", "score": 0.1}
    assert "SearchWeb" in answer("How high are the waves in sea state 6 on the Douglas scale?")["path"]
    del model.answers["grade_relevance"]

    held = threading.Event()
    model.answers["generate"] = lambda body: (held.wait(20), cite_everything(body))[1]
    headers = {"Idempotency-Key": "k"}
    location = api.post("/v1/questions", json={"question": "How many days?"}, headers=headers).headers["location"]
    assert api.get(location).json()["status"] == "running"
    held.set()
    # What cannot be started leaves no claim on its key.
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("SELFRAG_STANDARD_MACHINE_ARN", MACHINE_ARN + "-gone")
        assert api.post("/v1/questions", json={"question": "A?"}, headers={"Idempotency-Key": "l"}).status_code == 500
    while api.get(location).json()["status"] == "running":
        threading.Event().wait(0.05)

    assert api.post("/v1/documents", json={"key": "c/new.md", "size": 10}).status_code == 201
    document = next(each for each in api.get("/v1/documents").json()["documents"] if each["key"] == "c/leave.md")
    assert api.get(f"/v1/documents/{document['id']}").status_code == 200
    assert api.delete(f"/v1/documents/{document['id']}").status_code == 202


def test_every_call_that_is_made_is_allowed_and_every_call_that_is_allowed_is_made(
    recorded: Calls, record_property: Callable[[str, str], None]
) -> None:
    made = {(who, action) for who, action, _ in recorded}
    assert made == rows("Calls of the code")
    callers = len({who for who, _ in made})
    figures = f"{len(made)} kinds of AWS calls by {callers} callers recorded: none missing, none never used"
    record_property("figures", figures)


def test_each_table_secret_and_function_is_used_by_those_that_the_page_names(recorded: Calls) -> None:
    resources = {(who, resource) for who, action, resource in recorded if action.split(":")[0] != "states"}
    verdicts, answers = TABLES["verdicts_table"][0], TABLES["answers_table"][0]
    assert {who for who, resource in resources if resource == verdicts} == {
        "grade_relevance", "grade_support", "grade_utility",
    }  # fmt: skip
    assert {who for who, resource in resources if resource == answers} == {"ask", "workflow"}
    assert {who for who, resource in resources if resource == "selfrag-requests"} == {"ask"}
    assert {who for who, resource in resources if resource == "web-key"} == {"search_web"}
    manifest = {who for who, action, name in recorded if (action.split(":")[0], name) == ("dynamodb", DOCUMENTS_TABLE)}
    assert manifest == {"ask", "claim_document", "index_passages", "remove_passages", "record_document"}
    assert {resource for who, resource in resources if who == "workflow"} == {*deployed_handlers(), answers}
    assert {resource for who, resource in resources if who == "ingestion"} == {*deployed_handlers(INGESTION)}


def test_no_action_is_a_wildcard() -> None:
    allowed = rows("Calls of the code") | rows("Calls of AWS itself")
    assert len(allowed) > 20
    assert not [action for _, action in allowed if "*" in action]
