"""Events of a question: which there are, who gets them, and how they are written."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from selfrag.api.edge.gateway_event import GatewayEvent, accepts_events
from selfrag.api.streaming.relay import relay

ACCEPTED = {"id": "q", "status": "running"}
FIRST = {"why": "Search.", "steps": ["Retrieve"], "seconds": 0.2, "verdicts": {}}
SECOND = {"why": "Grade.", "steps": ["GradeRelevance"], "seconds": 0.4, "verdicts": {"GradeRelevance": {"relevant": 4}}}
AT_WORK = {**SECOND, "seconds": None}
ANSWER = {"id": "q", "status": "answered", "answer": "A.", "passes": [{"why": "The end.", "steps": []}], "usage": {}}
ASKING: GatewayEvent = {
    "httpMethod": "POST",
    "path": "/v1/ask",
    "headers": {"Accept": "text/event-stream", "X-Api-Key": "k"},
    "body": '{"question": "Why?"}',
    "requestContext": {"requestId": "r"},
}


def running(*passes: Mapping[str, Any] | None) -> dict[str, Any]:
    return {**ACCEPTED, "passes": None if passes == (None,) else list(passes)}


def heard(*views: tuple[int, Mapping[str, Any]], looks: int = 99) -> list[tuple[str, Any]]:
    """Return the events of a question of which these views are seen, in so many looks; comments are "" and None."""
    seen: Iterator[tuple[int, Mapping[str, Any]]] = iter([(202, ACCEPTED), *views])
    left = iter(range(looks - 1))

    def ask(event: GatewayEvent) -> Mapping[str, Any]:
        status, body = next(seen)
        expected = ("POST", "/v1/ask") if status == 202 else ("GET", "/v1/questions/q")
        assert (event["httpMethod"], event["path"]) == expected
        assert (event["headers"] or {})["X-Api-Key"] == "k"
        headers = {"Content-Type": ["application/json"], "Retry-After": ["5"], "X-Request-Id": ["r"]}
        return {"statusCode": status, "body": json.dumps(body), "multiValueHeaders": headers}

    reply = relay(ask, ASKING, lambda question_id: question_id == "q" and next(left, None) is not None)
    assert reply.status == 200
    assert (reply.headers["Content-Type"], reply.headers["X-Request-Id"]) == (["text/event-stream"], ["r"])
    assert "Retry-After" not in reply.headers
    assert not isinstance(reply.body, str)
    text = "".join(reply.body)
    assert text.endswith("\n\n")
    parts = [part.split("\n") for part in text[:-2].split("\n\n")]
    return [
        ("", None)
        if part == [": at work"]
        else (part[0].removeprefix("event: "), json.loads(part[1].removeprefix("data: ")))
        for part in parts
    ]


def test_each_pass_is_one_event_and_the_answer_is_the_last() -> None:
    events = heard(
        (200, running(AT_WORK)), (200, running(FIRST, AT_WORK)), (200, running(FIRST, SECOND)), (200, ANSWER)
    )
    assert events == [("question", ACCEPTED), ("", None), ("pass", FIRST), ("pass", SECOND), ("answer", ANSWER)]


def test_passes_that_end_with_the_answer_are_told_before_it() -> None:
    last = {"why": "Judge it.", "steps": ["GradeSupport"]}
    answer = {**ANSWER, "passes": [{"why": "Search.", "steps": ["Retrieve"]}, last, {"why": "The end.", "steps": []}]}
    assert heard((200, running(FIRST)), (200, answer))[2:] == [("pass", last), ("answer", answer)]


@pytest.mark.parametrize("silent", [(503, {}), (429, {}), (200, running(None))])
def test_a_look_that_says_nothing_takes_nothing_back(silent: tuple[int, dict[str, Any]]) -> None:
    events = heard((200, running(FIRST)), silent, (200, running(FIRST)), (200, ANSWER))
    assert [name for name, _ in events] == ["question", "pass", "", "", "answer"]


def test_question_without_a_readable_answer_ends_in_an_error() -> None:
    *_, (name, problem) = heard((200, {"id": "q", "status": "failed", "passes": None}))
    assert (name, problem["status"], problem["request_id"]) == ("error", 500, "r")
    assert problem["hint"]
    gone = {"status": 404, "detail": "There is no such question."}
    assert heard((404, gone))[-1] == ("error", gone)


def test_a_stream_without_time_left_ends_without_an_answer() -> None:
    assert heard((200, running(FIRST)), (200, running(FIRST)), looks=2)[-2:] == [("pass", FIRST), ("", None)]


@pytest.mark.parametrize("status", [200, 400, 409, 429])
def test_another_reply_than_an_accepted_question_comes_as_it_is(status: int) -> None:
    reply = relay(
        lambda event: {"statusCode": status, "body": "{}", "multiValueHeaders": {"A": ["b"]}}, ASKING, lambda name: True
    )
    assert (reply.status, reply.headers, reply.body) == (status, {"A": ["b"]}, "{}")


@pytest.mark.parametrize(
    ("path", "accept", "takes"),
    [
        ("/v1/ask", "text/event-stream", True),
        ("/v1/ask/", "Text/Event-Stream; q=1, */*;q=0.1", True),
        ("/v1/ask", "application/json, text/event-stream", False),
        ("/v1/ask", "text/event-stream;q=0, */*", False),
        ("/v1/ask", "*/*", False),
        ("/v1/ask", "", False),
        ("/v1/questions", "text/event-stream", False),
    ],
)
def test_a_client_that_takes_events_and_no_json_gets_events(path: str, accept: str, takes: bool) -> None:
    values = {"aCCept": accept.split(", ")}
    assert accepts_events({"httpMethod": "POST", "path": path, "multiValueHeaders": values}) == takes
