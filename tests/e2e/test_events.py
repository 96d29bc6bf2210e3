"""A question's server-sent events, as the local server sends them over real HTTP."""

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


def events(lines: Iterator[str]) -> Iterator[Event]:
    """Yield the events of a stream; comments are none."""
    event: Event = {}
    for line in lines:
        name, _, value = line.partition(":")
        if not line and "data" in event:
            yield event
        event = {**event, name: value.strip()} if line else {}


def started(api: httpx2.Client) -> str:
    """Start a question that nobody has asked, of which no verdict is held yet."""
    question = f"{ASK['question']} ({uuid4()})"
    location: str = api.post("/v1/questions", json=ASK | {"question": question}).headers["location"]
    return location


def listened(api: httpx2.Client, location: str) -> list[Event]:
    """All events of a question, to the end of the stream."""
    with api.stream("GET", f"{location}/events") as reply:
        assert (reply.status_code, reply.headers["content-type"]) == (200, "text/event-stream")
        return list(events(reply.iter_lines()))


def said(event: Event) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(event["data"])
    return told


def until_graded(stream: Iterator[Event]) -> list[Event]:
    """Return the events up to the one in which the answer's support is known, and its use is still asked."""
    seen: list[Event] = []
    for event in stream:
        seen.append(event)
        if said(event)["reflection"]["support"]:
            return seen
    raise AssertionError("the stream has ended")


def test_whoever_listens_sees_the_steps_as_they_come_and_the_response_at_last(
    api: httpx2.Client,
    held: threading.Event,
) -> None:
    location = started(api)
    with api.stream("GET", f"{location}/events") as reply:
        stream = events(reply.iter_lines())
        seen = until_graded(stream)
        assert {event["event"] for event in seen} == {"progress"}
        now = said(seen[-1])
        assert (now["status"], [one["relevant"] for one in now["reflection"]["relevance"]]) == ("running", [True] * 4)
        assert [step["finished"] for step in now["trace"] if step["state"] == "GradeUtility"] == [False]
        held.set()
        rest = list(stream)
    assert rest[-1]["event"] == "response"
    assert said(rest[-1]) == finished(api, location)


def test_each_event_is_what_a_look_at_the_question_would_say(
    api: httpx2.Client,
    held: threading.Event,
) -> None:
    location = started(api)
    with api.stream("GET", f"{location}/events") as reply:
        told = said(until_graded(events(reply.iter_lines()))[-1])
        looked = api.get(location, params={"trace": True}).json()
    for view in (told, looked):
        for step in view["trace"]:
            del step["seconds"]
    assert told == looked


def test_a_listener_that_was_cut_off_hears_what_it_missed_and_nothing_twice(
    api: httpx2.Client,
    held: threading.Event,
) -> None:
    location = started(api)
    with api.stream("GET", f"{location}/events") as reply:
        last = until_graded(events(reply.iter_lines()))[-1]["id"]
    held.set()
    with api.stream("GET", f"{location}/events", headers={"Last-Event-ID": last}) as reply:
        rest = list(events(reply.iter_lines()))
    assert last not in [event["id"] for event in rest]
    assert said(rest[-1]) == finished(api, location)
    assert api.get(f"{location}/events", headers={"Last-Event-ID": rest[-1]["id"]}).status_code == 204


def test_a_question_that_has_ended_is_told_at_once(api: httpx2.Client) -> None:
    response = api.post("/v1/ask", json=ASK).json()
    (only,) = listened(api, f"/v1/questions/{response['id']}")
    assert (only["event"], said(only)) == ("response", response)


def test_sixteen_listen_at_once_and_each_hears_its_own_question_to_the_end(
    api: httpx2.Client,
) -> None:
    locations = [started(api) for _ in range(16)]
    with ThreadPoolExecutor(16) as clients:
        heard = list(clients.map(lambda location: listened(api, location), locations))
    assert [said(stream[-1])["id"] for stream in heard] == [location.rpartition("/")[2] for location in locations]
    assert {stream[-1]["event"] for stream in heard} == {"response"}


def test_a_question_of_others_is_no_question(api: httpx2.Client) -> None:
    location = started(api)
    finished(api, location)
    bind("key#theirs", "d")
    refused, unseen = (api.get(place, headers={"x-api-key": "theirs"}) for place in (f"{location}/events", location))
    assert problem(refused, 404) | {"request_id": ""} == problem(unseen, 404) | {"request_id": ""}
    problem(api.get("/v1/questions/unknown/events"), 404)


def test_a_reader_that_takes_nothing_keeps_no_other_from_its_answer(
    api: httpx2.Client,
    held: threading.Event,
) -> None:
    location = started(api)
    with socket.create_connection((api.base_url.host, api.base_url.port or 0)) as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        slow.sendall(f"GET {location}/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        with api.stream("GET", f"{location}/events") as reply:
            stream = events(reply.iter_lines())
            until_graded(stream)
            held.set()
            assert list(stream)[-1]["event"] == "response"
        slow.settimeout(30)
        heard = b""
        while b"event: response" not in heard:
            heard += slow.recv(1 << 16)


def test_only_get_listens(api: httpx2.Client) -> None:
    refused = api.post("/v1/questions/unknown/events", json={})
    assert (problem(refused, 405)["title"], refused.headers["allow"]) == ("Method Not Allowed", "GET, HEAD, OPTIONS")
