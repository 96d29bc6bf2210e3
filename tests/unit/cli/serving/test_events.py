"""Streams of questions: how many there are, and that each ends with its client, its server or its question."""

import json
import threading
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from werkzeug.test import EnvironBuilder
from werkzeug.wrappers import Request

from ask.edge.problems import ProblemRaised
from cli.local.loopback import Loopback
from cli.local.serving import events
from cli.local.serving.events import Streams, streaming
from tests.e2e.test_api import eventually

RUNNING = {"id": "q", "status": "running", "trace": []}


class Question:
    """A question at work, of which the API says `view`; nothing of it changes unless a test says so."""

    def __init__(self) -> None:
        self.view: dict[str, Any] = RUNNING
        self.status = 200
        self.changed = threading.Event()
        self.watched = 0

    def handle(self, event: dict[str, Any], context: Any) -> dict[str, Any]:
        assert (event["path"], event["queryStringParameters"]) == ("/v1/questions/q", {"trace": "true"})
        headers = {"Content-Type": ["application/json"]}
        return {"statusCode": self.status, "body": json.dumps(self.view), "multiValueHeaders": headers}

    def watch(self, question_id: str, seen: int, seconds: float) -> int | None:
        self.watched += 1
        self.changed.wait(seconds)
        return 1


@pytest.fixture
def question() -> Question:
    return Question()


@pytest.fixture
def streams(question: Question) -> Iterator[Streams]:
    with streaming(question.handle, question.watch, 0.02) as opened:
        yield opened


@pytest.fixture
def url(streams: Streams) -> Iterator[str]:
    with Loopback(streams.open) as server:
        yield f"{server.url}/v1/questions/q/events"


def test_a_client_that_is_gone_leaves_its_place_to_another(url: str, streams: Streams) -> None:
    for _ in range(2 * events.MOST_STREAMS):
        with httpx2.stream("GET", url) as reply:
            assert next(reply.iter_lines()).startswith("retry:")
    eventually(lambda: True if streams.open_streams == 0 else None)


def test_no_more_than_so_many_are_open_and_one_too_many_is_told_what_to_do(url: str, streams: Streams) -> None:
    one_more = Request(EnvironBuilder(path="/v1/questions/q/events").get_environ())
    with httpx2.Client(limits=httpx2.Limits(max_connections=200)) as client:
        opened = [client.stream("GET", url) for _ in range(events.MOST_STREAMS)]
        replies = [one.__enter__() for one in opened]
        assert {reply.status_code for reply in replies} == {200}
        with pytest.raises(ProblemRaised, match="followed at this moment") as refused:
            streams.open(one_more)
        assert (refused.value.status, refused.value.headers) == (503, {"Retry-After": "5"})
        for one in opened:
            one.__exit__(None, None, None)


def test_streams_end_with_the_server(url: str, streams: Streams) -> None:
    with httpx2.stream("GET", url) as reply:
        lines = reply.iter_lines()
        assert next(lines).startswith("retry:")
        streams.end()
        assert "event: response" not in list(lines)
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
