"""The function of POST /mcp: the official client is answered by the deployed handlers, in its own collections alone."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import boto3
import httpx2
import pytest

from selfrag.agents import deployed
from selfrag.agents.handler import handler as agents_handler
from selfrag_cli.local.serving.gateway import serving
from selfrag_cli.local.serving.invocation import threaded_handler
from selfrag_cli.local.stack import QUESTION
from tests.e2e.test_agents import ACCEPT, LIST, MODES, Agent, links, sentence, with_key
from tests.support.aws.resources import bind
from tests.support.aws.stack import deployed_handlers
from tests.support.doubles.lambda_double import LambdaDouble
from tests.support.doubles.model_server import ModelServer
from tests.support.ingesting import ingestion
from tests.support.roles.recorded import as_caller
from tests.support.serving import eventually

pytestmark = pytest.mark.longest(20)

DOCUMENTS = {"a/leave.md": "# Leave\n\nLeave is 25 days.\n", "b/leave.md": "# Leave\n\nLeave is 30 days.\n"}
QUESTION_ABOUT_LEAVE = "How many days of leave are there?"


@dataclass
class Deployment:
    """Functions behind one URL, and their Lambda and model."""

    url: str
    functions: LambdaDouble
    model: ModelServer


@pytest.fixture(scope="module")
def deployment() -> Iterator[Deployment]:
    ask = threaded_handler()
    steps = deployed_handlers(QUESTION)
    gateway = {"/mcp": as_caller("agents", agents_handler)}

    def handle(event: dict[str, Any], context: Any) -> Any:
        return gateway.get(event["path"] if event["httpMethod"] == "POST" else "", ask)(event, context)

    with ModelServer() as model, LambdaDouble({"ask": ask, "retrieve": steps["retrieve"]}) as functions:
        environment = {
            **functions.environment(),
            "SELFRAG_WEB_SEARCH": "false",
            "SELFRAG_MODEL_BASE_URL": model.url,
            "SELFRAG_MODEL_SECRET": "model-key",
        }
        with (
            ingestion(steps, **environment) as documents,
            serving(0, documents.stack.watch, handler=handle) as url,
        ):
            boto3.client("secretsmanager").create_secret(Name="model-key", SecretString="test")
            for key, collection in (("key-a", "a"), ("key-b", "b")):
                bind(f"key#{key}", collection)
            for key, text in DOCUMENTS.items():
                documents.put(key, text.encode())
                assert documents.done(key)["status"] == "ready"
            yield Deployment(f"{url}/mcp", functions, model)


@pytest.fixture(params=MODES)
def asking(request: pytest.FixtureRequest, deployment: Deployment) -> Iterator[Agent]:
    with with_key(deployment.url, "key-a", request.param) as client:
        yield client


def test_gateway_offers_four_tools_and_answer_has_claims_and_links(asking: Agent) -> None:
    assert list(asking.tools()) == ["ask", "search", "documents", "trace"]
    result = asking.call("ask", question=QUESTION_ABOUT_LEAVE)
    answer: dict[str, Any] = result.structured_content
    assert (answer["status"], bool(answer["claims"])) == ("answered", True)
    assert "25 days" in asking.read(links(result)[0].uri)
    trace: dict[str, Any] = asking.call("trace", id=answer["id"]).structured_content
    assert (trace["answer"], trace["status"]) == (answer["answer"], "answered")


def test_a_key_reaches_its_own_collection_alone(asking: Agent, deployment: Deployment) -> None:
    hits: dict[str, Any] = asking.call("search", query="leave", top_k=5).structured_content
    assert [passage["document"] for passage in hits["passages"]] == ["a/leave.md"]
    listed: dict[str, Any] = asking.call("documents").structured_content
    assert [document["key"] for document in listed["documents"]] == ["a/leave.md"]
    theirs: dict[str, Any] = {"filters": {"collections": ["b"]}}
    for tool, arguments in (
        ("search", {"query": "leave", **theirs}),
        ("ask", {"question": QUESTION_ABOUT_LEAVE, **theirs}),
        ("documents", {"collection": "b"}),
    ):
        refused = sentence(asking.call(tool, **arguments))
        assert refused.startswith("Not every collection that the request names is one of yours.")
    with with_key(deployment.url, "key-b", MODES[1]) as other:
        answer: dict[str, Any] = other.call("ask", question=QUESTION_ABOUT_LEAVE).structured_content
    assert sentence(asking.call("trace", id=answer["id"])).startswith("There is no such question.")


def test_a_key_without_a_collection_is_told_so(deployment: Deployment) -> None:
    with with_key(deployment.url, "key-of-nobody", MODES[1]) as asking:
        for tool, arguments in (("search", {"query": "leave"}), ("ask", {"question": "Why?"}), ("documents", {})):
            assert sentence(asking.call(tool, **arguments)).startswith("Your key is bound to no collection.")


def test_question_longer_than_gateway_timeout_returns_running_id(
    asking: Agent, deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deployed, "WAIT_SECONDS", 0.0)
    answer: dict[str, Any] = asking.call("ask", question="How long is the leave?").structured_content
    assert (answer["status"], answer["answer"], answer["citations"]) == ("running", "", [])
    assert answer["id"]

    def ended() -> dict[str, Any] | None:
        trace: dict[str, Any] = asking.call("trace", id=answer["id"]).structured_content
        return None if trace["status"] == "running" else trace

    trace: dict[str, Any] = eventually(ended)
    assert (trace["status"], bool(trace["citations"])) == ("answered", True)
    assert trace["answer"]


def test_failure_is_one_sentence_without_function_name(asking: Agent, deployment: Deployment) -> None:
    for step, tool, arguments in (("retrieve", "search", {"query": "leave"}), ("ask", "documents", {})):
        deployment.functions.failing = {step: "Sandbox.Timedout"}
        failure = sentence(asking.call(tool, **arguments))
        deployment.functions.failing = {}
        assert failure == "A function failed (Sandbox.Timedout): try again; tell the operator if it stays so."


def test_message_is_refused_by_origin_method_size_and_form(deployment: Deployment) -> None:
    headers = {**ACCEPT, "x-api-key": "key-a"}

    def status(**changed: str) -> int:
        return httpx2.post(deployment.url, json=LIST, headers={**headers, **changed}).status_code

    assert (status(), status(origin="https://evil.example")) == (200, 403)
    for method in ("GET", "DELETE"):
        refused = httpx2.request(method, deployment.url, headers=headers)
        assert (refused.status_code, refused.headers["allow"]) == (405, "POST, OPTIONS")
    assert httpx2.post(deployment.url, content=b" " * 100_000, headers=headers).status_code == 413
    assert httpx2.post(deployment.url, content=b"{", headers=headers).status_code == 400
    assert httpx2.post(deployment.url, json={"jsonrpc": "2.0", "id": 1}, headers=headers).status_code == 400
