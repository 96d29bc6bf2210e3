"""Streams of questions: how many there are, and that each ends with its client, its server or its question."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import httpx2
import pytest

from selfrag_cli.local.serving import events
from selfrag_cli.local.serving.events import Streams
from selfrag_cli.local.serving.gateway import ServedApi
from selfrag_cli.local.serving.http import answering_http, listening
from tests.support.serving import eventually, problem

RUNNING = {"id": "q", "status": "running", "trace": []}


class Question:
    """A question at work, of which the API says `view`; nothing of it changes unless a test says so."""

    def __init__(self) -> None:
        self.view: dict[str, Any] = RUNNING
        self.status = 200
        self.changed = threading.Event()
        self.watched = self.large = 0

    def handle(self, event: dict[str, Any], context: Any) -> dict[str, Any]:
        assert (event["path"], event["queryStringParameters"]) == ("/v1/questions/q", {"trace": "true"})
        headers = {"Content-Type": ["application/json"]}
        # A large one is another one at each look.
        steps = [{"state": "S" * self.large, "finished": True, "attempts": self.watched}] if self.large else []
        view = self.view | ({"trace": steps} if steps else {})
        return {"statusCode": self.status, "body": json.dumps(view), "multiValueHeaders": headers}

    def watch(self, question_id: str, seen: int, seconds: float) -> int | None:
        self.watched += 1
        self.changed.wait(seconds)
        return 1


@pytest.fixture
def question() -> Question:
    return Question()


@pytest.fixture
def streams(question: Question) -> Streams:
    return Streams(question.handle, question.watch, 0.02)


@pytest.fixture
def server(question: Question, streams: Streams) -> Iterator[ExitStack]:
    """Yield the end of the server when it is closed."""
    with ExitStack() as opened:
        yield opened


@pytest.fixture
def url(question: Question, streams: Streams, server: ExitStack) -> str:
    bound = listening(0)
    server.enter_context(answering_http(bound, ServedApi(question.handle, streams, None, ())))
    return f"http://127.0.0.1:{bound.getsockname()[1]}/v1/questions/q/events"


def test_a_client_that_is_gone_leaves_its_place_to_another(url: str, streams: Streams) -> None:
    for _ in range(2 * events.MOST_STREAMS):
        with httpx2.stream("GET", url) as reply:
            assert next(reply.iter_lines()).startswith("retry:")
    eventually(lambda: True if streams.open_streams == 0 else None)


def test_no_more_than_so_many_are_open_and_one_too_many_is_told_what_to_do(url: str) -> None:
    with httpx2.Client(limits=httpx2.Limits(max_connections=200)) as client:
        opened = [client.stream("GET", url) for _ in range(events.MOST_STREAMS)]
        replies = [one.__enter__() for one in opened]
        assert {reply.status_code for reply in replies} == {200}
        refused = client.get(url)
        assert "followed at this moment" in problem(refused, 503)["detail"]
        assert refused.headers["retry-after"] == "5"
        for one in opened:
            one.__exit__(None, None, None)


def test_streams_end_with_the_server(url: str, streams: Streams, server: ExitStack) -> None:
    with httpx2.stream("GET", url) as reply:
        assert next(reply.iter_lines()).startswith("retry:")
        server.close()
    assert streams.open_streams == 0


def test_a_look_at_the_head_of_a_stream_takes_no_place(url: str, streams: Streams) -> None:
    looked = httpx2.head(url)
    assert (looked.status_code, looked.headers["content-type"], streams.open_streams) == (200, "text/event-stream", 0)


def test_a_reader_that_takes_nothing_for_too_long_is_cut_off(
    url: str, streams: Streams, question: Question, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "STALL_SECONDS", 0.05)
    port = int(url.split(":")[2].partition("/")[0])
    with socket.create_connection(("127.0.0.1", port)) as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        slow.sendall(b"GET /v1/questions/q/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        eventually(lambda: True if streams.open_streams else None)
        question.large = 1 << 20
        eventually(lambda: True if streams.open_streams == 0 else None)


def test_nothing_is_told_twice_however_often_it_is_looked_at(url: str, streams: Streams, question: Question) -> None:
    with httpx2.stream("GET", url) as reply:
        lines = reply.iter_lines()
        assert "event: progress" in [next(lines) for _ in range(3)]
        eventually(lambda: True if question.watched > 5 else None)
        question.view = {"id": "q", "status": "answered", "usage": {}}
        rest = list(lines)
    assert [line for line in rest if line.startswith("event:")] == ["event: response"]
    assert ": at work" in rest


def test_a_question_without_a_response_ends_as_failed(url: str, question: Question) -> None:
    question.view = {"id": "q", "status": "failed", "trace": None}
    assert "event: failed" in httpx2.get(url).text


def test_a_caller_who_loses_the_question_while_listening_hears_no_more_of_it(url: str, question: Question) -> None:
    with httpx2.stream("GET", url) as reply:
        lines = reply.iter_lines()
        assert next(lines).startswith("retry:")
        question.status, question.view = 404, {"status": 404, "detail": "There is no such question."}
        assert "event: problem" in list(lines)
