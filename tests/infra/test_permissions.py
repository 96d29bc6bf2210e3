"""docs/permissions.md says what each role may do: the AWS calls of full runs, none missing and none never used."""

import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from aws_lambda_powertools.utilities import parameters

import ask.handler
import cli.gateway
import selfrag.claude
from cli.aws.stack import MACHINE_ARN, TABLES, deployed_handlers, running_stack
from cli.gateway import serving
from cli.offline.web import WebServer
from selfrag.models import Passage
from selfrag.opensearch import Entry, open_passages
from selfrag.titan import open_titan
from tests.support.model_server import ModelServer, cite_everything
from tests.support.opensearch_double import OpenSearchDouble
from tests.support.recorded import Calls, Handler, as_caller, recording
from tests.support.titan_double import TitanDouble, embed

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "permissions.md").read_text(encoding="utf-8")
Pairs = set[tuple[str, str]]


def rows(heading: str) -> Pairs:
    """The (who, action) pairs of the table under a heading."""
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    found = re.findall(r"^\| `([\w*]+)` \| (`[^|]+`) \|", section, re.M)
    return {(who, action) for who, actions in found for action in re.findall(r"`([^`]+)`", actions)}


@pytest.fixture(scope="module")
def recorded() -> Iterator[Calls]:
    """What was called in runs that take every path: direct, search, repair, rewrite, web, follow-up, repeat, fault."""
    open_passages.cache_clear()
    open_titan.cache_clear()
    with (
        ModelServer() as model,
        TitanDouble() as titan,
        OpenSearchDouble({"FOOBARKEY": "FOOBARSECRET"}) as collection,
        WebServer(ROOT / "docs" / "web") as web,
    ):
        environment = {
            "SELFRAG_PASSAGE_INDEX": "selfrag.opensearch.open_passages",
            "SELFRAG_EMBEDDER": "selfrag.titan.open_titan",
            "SELFRAG_COLLECTION_ENDPOINT": collection.url,
            "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": titan.url,
            "SELFRAG_MODEL_BASE_URL": model.url,
            "SELFRAG_MODEL_SECRET": "model-key",
            "SELFRAG_WEB_BASE_URL": web.url,
            "SELFRAG_WEB_SECRET": "web-key",
            "SELFRAG_COLLECTIONS": '["c"]',
        }
        handlers = {name: as_caller(name, _in_a_new_process(handler)) for name, handler in deployed_handlers().items()}
        secrets = {"model-key": "test", "web-key": "test"}
        with (
            recording() as calls,
            running_stack(environment, secrets, handlers=handlers),
            pytest.MonkeyPatch.context() as patched,
        ):
            passage = Passage(passage_id="p1", document="leave.md", text="Leave is 25 days.", collection="c")
            assert open_passages().add([Entry(passage, embed(passage.text))]).ids
            patched.setattr(cli.gateway.ask.handler, "handler", as_caller("ask", ask.handler.handler))
            with serving() as url, httpx2.Client(base_url=url, timeout=40) as api:
                _ask_everything(api, model)
            yield calls
    open_passages.cache_clear()
    open_titan.cache_clear()


def _in_a_new_process(handler: Handler) -> Handler:
    """A handler that finds nothing of what another Lambda's process keeps: each reads its own secret."""

    def cold(event: dict[str, Any], context: Any) -> Any:
        parameters.clear_caches()
        selfrag.claude._client.cache_clear()
        return handler(event, context)

    return cold


def _ask_everything(api: httpx2.Client, model: ModelServer) -> None:
    def answer(question: str, **more: Any) -> Any:
        reply = api.post("/v1/ask", json={"question": question, **more})
        assert reply.status_code == 200, reply.text
        return reply.json()

    first = answer("How many days of leave are there?")
    assert first["status"] == "answered"
    answer("And in May?", previous=first["id"])
    model.answers["grade_relevance"] = lambda body: {"reason": "r", "label": "irrelevant", "score": 0.1}
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
        ask.settings.api_settings.cache_clear()
        assert api.post("/v1/questions", json={"question": "A?"}, headers={"Idempotency-Key": "l"}).status_code == 500
    ask.settings.api_settings.cache_clear()
    while api.get(location).json()["status"] == "running":
        threading.Event().wait(0.05)


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
    assert {resource for who, resource in resources if who == "workflow"} == {*deployed_handlers(), answers}


def test_no_action_is_a_wildcard() -> None:
    allowed = rows("Calls of the code") | rows("Calls of AWS itself")
    assert len(allowed) > 20
    assert not [action for _, action in allowed if "*" in action]
