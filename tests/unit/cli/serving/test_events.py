"""Streams of the laptop's server: each ends with its client, its server or its question."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import httpx2
import pytest

from selfrag_cli.local.serving import events
from selfrag_cli.local.serving.gateway import ServedApi
from selfrag_cli.local.serving.http import answering_http, listening
from tests.support.serving import eventually

ACCEPT = {"accept": "text/event-stream"}


class Question:
    """A running question with the API's `view`, which changes only if a test changes it."""

    def __init__(self) -> None:
        self.view: dict[str, Any] = {"id": "q", "status": "running"}
        self.never, self.leaves = threading.Event(), False
        self.watched = self.large = self.admitted = self.ended = 0

    def handle(self, event: dict[str, Any], context: Any) -> dict[str, Any]:
        if event["httpMethod"] == "POST":
            return {"statusCode": 202, "body": '{"id": "q"}', "multiValueHeaders": {"Retry-After": ["5"]}}
        # A large one has another pass at each look.
        passes = [{"why": "W" * self.large, "steps": ["Plan"]}] * self.watched if self.large else []
        return {"statusCode": 200, "body": json.dumps({"passes": passes, **self.view}), "multiValueHeaders": {}}

    def watch(self, question_id: str, seen: int, seconds: float) -> int | None:
        self.watched += 1
        if self.leaves:
            self.view = {"id": "q", "status": "answered", "usage": {}}
            return None
        self.never.wait(0.02)
        return 1

    @contextmanager
    def admit(self) -> Iterator[None]:
        self.admitted += 1
        try:
            yield
        finally:
            self.admitted -= 1
            self.ended += 1

    def is_left(self) -> bool | None:
        return True if self.admitted == 0 else None


@pytest.fixture
def question() -> Question:
    return Question()


@pytest.fixture
def server() -> Iterator[ExitStack]:
    """Yield the end of the server when it is closed."""
    with ExitStack() as opened:
        yield opened


@pytest.fixture
def url(question: Question, server: ExitStack) -> str:
    bound = listening(0)
    api = ServedApi(question.handle, question.watch, None, (), admit=question.admit)
    server.enter_context(answering_http(bound, api))
    return f"http://127.0.0.1:{bound.getsockname()[1]}/v1/ask"


@contextmanager
def asking(url: str) -> Iterator[Iterator[str]]:
    with httpx2.stream("POST", url, json={}, headers=ACCEPT, timeout=20) as reply:
        lines = reply.iter_lines()
        assert next(lines) == "event: question"
        yield lines


def test_a_client_that_is_gone_leaves_its_place_to_another(url: str, question: Question) -> None:
    with asking(url):
        assert question.admitted == 1
    eventually(question.is_left)


def test_streams_end_with_the_server(url: str, question: Question, server: ExitStack) -> None:
    with asking(url):
        server.close()
    assert question.is_left()


def test_a_reader_that_takes_nothing_for_too_long_is_cut_off(
    url: str, question: Question, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "STALL_SECONDS", 0.05)
    question.large = 1 << 20
    port = int(url.split(":")[2].partition("/")[0])
    with socket.create_connection(("127.0.0.1", port)) as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        head = "POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nContent-Length: 2\r\n\r\n{}"
        slow.sendall(head.encode())
        eventually(lambda: True if question.ended else None)


def test_answer_is_sent_even_if_question_leaves_process_first(url: str, question: Question) -> None:
    question.leaves = True
    with asking(url) as lines:
        assert "event: answer" in list(lines)
