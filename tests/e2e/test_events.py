"""A question's server-sent events, as the local server sends them over real HTTP to the client that asks it."""

import json
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import httpx2

from tests.support.aws.resources import bind
from tests.support.serving import ASK, finished, problem

Event = dict[str, str]
ACCEPT = {"accept": "text/event-stream"}


def events(lines: Iterator[str]) -> Iterator[Event]:
    """Yield the events of a stream; comments are none."""
    event: Event = {}
    for line in lines:
        name, _, value = line.partition(":")
        if not line and "data" in event:
            yield event
        event = {**event, name: value.strip()} if line else {}


def asked_anew() -> dict[str, Any]:
    """Return a question that nobody has asked, of which no verdict is held yet."""
    return ASK | {"question": f"{ASK['question']} ({uuid4()})"}


def said(event: Event) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(event["data"])
    return told


def heard(api: httpx2.Client, body: dict[str, Any], **headers: str) -> list[Event]:
    """Return all events of a question, to the end of the stream."""
    with api.stream("POST", "/v1/ask", json=body, headers={**ACCEPT, **headers}) as reply:
        assert (reply.status_code, reply.headers["content-type"]) == (200, "text/event-stream")
        return list(events(reply.iter_lines()))


def until_written(stream: Iterator[Event]) -> list[Event]:
    """Return the events up to the pass in which the answer was written; the next one, which checks it, is held."""
    seen: list[Event] = []
    for event in stream:
        seen.append(event)
        if "Generate" in said(event).get("steps", ()):
            return seen
    raise AssertionError("the stream has ended")


def test_stream_sends_each_pass_and_ends_with_json_answer(api: httpx2.Client, held: threading.Event) -> None:
    with api.stream("POST", "/v1/ask", json=asked_anew(), headers=ACCEPT) as reply:
        stream = events(reply.iter_lines())
        first, *passes = until_written(stream)
        question = said(first)
        assert (first["event"], question["status"]) == ("question", "running")
        assert reply.headers["location"] == f"/v1/questions/{question['id']}"
        assert {event["event"] for event in passes} == {"pass"}
        assert said(passes[-1])["verdicts"]["GradeRelevance"] == {"relevant": 4}
        assert all(said(event)["seconds"] >= 0 for event in passes)
        # The stream has text only after its checks.
        draft = api.get(reply.headers["location"], params={"trace": True}).json()["draft"]["answer"]
        assert draft
        assert not [event for event in passes if draft in event["data"]]
        held.set()
        *judged, last = stream
    assert [said(event)["steps"] for event in judged] == [["GradeSupport", "GradeUtility"]]
    assert (last["event"], said(last)) == ("answer", finished(api, reply.headers["location"]))
    assert draft in said(last)["answer"]


def test_disconnected_client_resumes_by_id_or_key(api: httpx2.Client, held: threading.Event) -> None:
    body = asked_anew()
    with api.stream("POST", "/v1/ask", json=body, headers={**ACCEPT, "idempotency-key": "k"}) as reply:
        question = said(next(events(reply.iter_lines())))
    held.set()
    response = finished(api, f"/v1/questions/{question['id']}")
    assert response["status"] == "answered"
    first, last = heard(api, body, **{"idempotency-key": "k"})[:: len(response["passes"])]
    assert (said(first)["id"], said(last)) == (question["id"], response)
    whole = api.post("/v1/ask", json=body, headers={"idempotency-key": "k"})
    assert (whole.status_code, whole.json()) == (200, response)


def test_a_strategy_that_takes_longer_than_a_gateway_waits_is_streamed(api: httpx2.Client) -> None:
    body = asked_anew() | {"policy": {"strategy": "segments", "web_search": False}}
    assert api.post("/v1/ask", json=body).status_code == 400
    assert heard(api, body)[-1]["event"] == "answer"


def test_sixteen_concurrent_streams_each_carry_their_own_question(api: httpx2.Client) -> None:
    bodies = [asked_anew() for _ in range(16)]
    with ThreadPoolExecutor(16) as clients:
        streams = list(clients.map(lambda body: heard(api, body), bodies))
    assert [said(stream[-1])["question"] for stream in streams] == [body["question"] for body in bodies]
    assert all(said(stream[0])["id"] == said(stream[-1])["id"] for stream in streams)


def test_refused_stream_returns_problem_with_its_status(api: httpx2.Client) -> None:
    bind("key#uploader", "c", actions=["upload"])
    for body, headers, status in (
        ({"question": ""}, {}, 400),
        (ASK, {"x-api-key": "uploader"}, 403),
        (ASK, {"x-api-key": "nobody"}, 403),
    ):
        problem(api.post("/v1/ask", json=body, headers={**ACCEPT, **headers}), status)
    problem(api.get("/v1/ask", headers=ACCEPT), 405)


def test_a_reader_that_takes_nothing_keeps_no_other_from_its_answer(api: httpx2.Client, held: threading.Event) -> None:
    body = json.dumps(asked_anew())
    with socket.create_connection((api.base_url.host, api.base_url.port or 0)) as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        head = f"POST /v1/ask HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\nContent-Length: {len(body)}"
        slow.sendall(f"{head}\r\n\r\n{body}".encode())
        with api.stream("POST", "/v1/ask", json=asked_anew(), headers=ACCEPT) as reply:
            stream = events(reply.iter_lines())
            until_written(stream)
            held.set()
            assert list(stream)[-1]["event"] == "answer"
        slow.settimeout(30)
        received = b""
        while b"event: answer" not in received:
            received += slow.recv(1 << 16)
