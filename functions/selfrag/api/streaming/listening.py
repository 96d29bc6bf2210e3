"""A listener of the function `stream`: the checks of every request, then the events of its question."""

import json
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import Any

from aws_lambda_powertools.event_handler import Response

from selfrag.api import lifecycle
from selfrag.api.edge.callers import caller_of
from selfrag.api.edge.cors import SECURITY_HEADERS, shown_in_reply
from selfrag.api.edge.problems import no_such_question, noted, respond
from selfrag.api.streaming.events import AGAIN, HEADERS, HEARTBEAT, PATH, Telling, without_a_stream
from selfrag.bootstrap import api
from selfrag.runtime.clock import Clock

# Nothing wakes a function as a step ends, so it looks; an account may ask Step Functions some 15 times a second.
LOOK_SECONDS = 2.0

Event = dict[str, Any]


@dataclass(frozen=True)
class Reply:
    """A reply over HTTP, whose body comes part by part."""

    status: int
    headers: dict[str, str]
    body: Iterable[str]


def reply_to(event: Event, ends: float, clock: Clock, origins: Collection[str] = ()) -> Reply:
    """Return the stream that a request of API Gateway (REST, Lambda proxy) gets, or its refusal.

    A stream is over with its question, or at `ends` (seconds since the epoch); its client then comes again. Pages of
    these `origins` may listen.
    """
    try:
        reply = _listened(event, ends, clock)
    except Exception as error:
        refused = _refusal(event, error)
        told = {name: str(value) for name, value in refused.headers.items()}
        headers = {"Content-Type": str(refused.content_type), **told}
        reply = Reply(refused.status_code, headers, [str(refused.body)])
    shown = shown_in_reply(event, reply.headers.get("Allow", ""), origins)
    return Reply(
        reply.status, {**reply.headers, **SECURITY_HEADERS, **shown, "X-Request-Id": _request_id(event)}, reply.body
    )


def _listened(event: Event, ends: float, clock: Clock) -> Reply:
    given = {name.lower(): str(value) for name, value in (event.get("headers") or {}).items()}
    told = given.get("last-event-id", "")
    headers = without_a_stream(event["httpMethod"], told)
    if headers is not None:
        return Reply(HTTPStatus.NO_CONTENT, headers, ())
    first = _look(event)
    if event["httpMethod"] == "HEAD":
        return Reply(HTTPStatus.OK, HEADERS, ())
    return Reply(HTTPStatus.OK, HEADERS, _events(first, partial(_looked, event), Telling(told), ends, clock))


def _events(
    view: tuple[int, str], look: Callable[[], tuple[int, str]], telling: Telling, ends: float, clock: Clock
) -> Iterator[str]:
    yield AGAIN
    while True:
        yield telling.new(*view) or HEARTBEAT
        if telling.is_over or clock.now() + LOOK_SECONDS > ends:
            return
        clock.sleep(LOOK_SECONDS)
        view = look()


def _look(event: Event) -> tuple[int, str]:
    """Return what `GET /v1/questions/{id}?trace=true` says to the caller now; raises what that refuses with."""
    caller = caller_of(event, api.bindings(), "ask")
    path = PATH.match(event["path"])
    found = lifecycle.look(path[0].rpartition("/")[2], caller, trace=True) if path else None
    if found is None:
        raise no_such_question()
    return HTTPStatus.OK, json.dumps(found, ensure_ascii=False)


def _looked(event: Event) -> tuple[int, str]:
    """Return what a listener hears, a refusal, too."""
    try:
        return _look(event)
    except Exception as error:
        refused = _refusal(event, error)
        return refused.status_code, str(refused.body)


def _refusal(event: Event, error: Exception) -> Response[str]:
    return respond(noted(error), _request_id(event))


def _request_id(event: Event) -> str:
    return str(event["requestContext"]["requestId"])
