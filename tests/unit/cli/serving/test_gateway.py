"""Thread safety of the server: unlike a Lambda, it serves several requests at a time."""

import hashlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import httpx2
import pytest
from aws_lambda_powertools.event_handler.api_gateway import Route

from selfrag.domain.errors import Misconfigured, TemporarilyUnavailable
from selfrag_cli.local.runner.machine import Machine
from selfrag_cli.local.serving.agent_service import StackService
from selfrag_cli.local.serving.gateway import serving
from selfrag_cli.local.serving.invocation import LocalContext, threaded_handler
from selfrag_cli.local.serving.server import _log
from selfrag_cli.local.sources.source import DocumentSource
from tests.support.serving import gateway_event


def test_the_first_requests_of_a_path_may_come_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    handler, build = threaded_handler(), Route._build_middleware_stack

    def status() -> int:
        return int(handler(gateway_event("GET", "/v1/health"), LocalContext())["statusCode"])

    def interrupted(route: Route, *given: Any, **named: Any) -> None:
        monkeypatch.setattr(Route, "_build_middleware_stack", build)
        with ThreadPoolExecutor(1) as other:
            other.submit(status).result()
        build(route, *given, **named)

    monkeypatch.setattr(Route, "_build_middleware_stack", interrupted)
    assert [status(), status()] == [200, 200]


def call_tool(method: str, name: str) -> dict[str, Any]:
    arguments = {"question": "Why?"} if name == "ask" else {}
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"name": name, "arguments": arguments}}


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/v1/ask", {"question": "Why?"}, 503),
        ("/v1/ask/", {"question": "Why?"}, 503),
        ("/v1/questions", {"question": "Why?"}, 503),
        ("/mcp", call_tool("tools/call", "ask"), 503),
        ("/mcp", call_tool("tools/call", "documents"), 200),
        ("/mcp", call_tool("ping", "ask"), 200),
        ("/v1/feedback", {"question": "Why?"}, 200),
    ],
)
def test_a_busy_server_refuses_questions_at_once_and_nothing_else(path: str, body: Any, status: int) -> None:
    @contextmanager
    def refuse() -> Iterator[None]:
        raise TemporarilyUnavailable("16 questions are at work.")
        yield

    def handler(event: Any, context: Any) -> dict[str, Any]:
        return {"statusCode": 200, "body": '{"documents": []}', "multiValueHeaders": {}}

    service = StackService(DocumentSource(""), lambda: (handler, None))  # type: ignore[arg-type,return-value]
    with serving(0, lambda *seen: None, handler=handler, agents=lambda handler: service, admit=refuse) as url:
        headers = {"accept": "application/json, text/event-stream"}
        reply = httpx2.post(url + path, json=body, headers=headers, trust_env=False)
        assert httpx2.get(f"{url}/v1/health", trust_env=False).status_code == 200
    assert reply.status_code == status
    if status == 503:
        assert (reply.headers["retry-after"], reply.headers["content-type"]) == ("5", "application/problem+json")
        assert "16 questions are at work" in reply.json()["detail"]


@pytest.mark.parametrize(
    "error",
    [OSError(13, "Permission denied", "/home/me/secret.md"), Misconfigured("/home/me/secret.md is damaged")],
)
def test_an_agent_over_http_learns_no_path_of_this_machine(error: Exception) -> None:
    def open_stack() -> Any:
        raise error

    service = StackService(DocumentSource(""), open_stack)
    with serving(0, lambda *seen: None, handler=lambda event, context: {}, agents=lambda handler: service) as url:
        for method, parameters in (
            ("tools/call", {"name": "search", "arguments": {"query": "leave"}}),
            ("resources/read", {"uri": f"selfrag://documents/{'0' * 32}/passages/p1"}),
        ):
            body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}
            headers = {"accept": "application/json, text/event-stream"}
            reply = httpx2.post(f"{url}/mcp", json=body, headers=headers, trust_env=False)
            assert "rror" in reply.text
            assert "secret" not in reply.text


def test_a_failed_question_is_logged_by_the_hash_of_its_words(capsys: pytest.CaptureFixture[str]) -> None:
    definition: Any = {"StartAt": "End", "States": {"End": {"Type": "Fail", "Error": "No"}}}
    for question in ("Why?", "Who?"):
        Machine("arn:aws:states:::stateMachine:m", definition, {}).start("q", {"question": question}, _log).wait()
    digests = [line.split()[2] for line in capsys.readouterr().err.splitlines()]
    assert digests == [hashlib.sha256(question).hexdigest()[:12] for question in (b"Why?", b"Who?")]
