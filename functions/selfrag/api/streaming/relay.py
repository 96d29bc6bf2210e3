"""Requests for events, answered in front of the API's function: by server-sent events of the question that it accepted.

https://html.spec.whatwg.org/multipage/server-sent-events.html
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import Any, cast

from selfrag.api.edge.gateway_event import EVENT_STREAM, GatewayEvent, accepts_events
from selfrag.api.openai import calls
from selfrag.api.openai.calls import HEARTBEAT
from selfrag.api.streaming.events import Event, Wait, question_events
from selfrag.text.json_text import dump_json

# The last one asks nginx, and what heeds its header, not to buffer.
_HEADERS = {"Content-Type": [EVENT_STREAM], "Cache-Control": ["no-store"], "X-Accel-Buffering": ["no"]}
# Headers of the reply that accepted the question, which has another body and is not asked for again.
_DROPPED = ("content-type", "retry-after")

# The API's function: takes a request of API Gateway (REST, Lambda proxy), and returns its reply.
Ask = Callable[[GatewayEvent], Mapping[str, Any]]


@dataclass(frozen=True)
class StreamReply:
    """A reply over HTTP, whole or part by part."""

    status: int
    headers: Mapping[str, list[str]]
    body: str | Iterator[str]


def relay(ask: Ask, event: GatewayEvent, wait: Wait) -> StreamReply:
    """Return the reply of `ask`, or the events of the question that it accepted, if the client takes them.

    A client that goes away ends no question: `ask` has started it, and stores its response.
    """
    encode_all = encoder_of(event)
    context = event.get("requestContext", {})
    reply = ask(cast(GatewayEvent, {**event, "requestContext": {**context, "streamed": encode_all is not None}}))
    headers: Mapping[str, list[str]] = reply["multiValueHeaders"]
    if reply["statusCode"] != HTTPStatus.ACCEPTED or encode_all is None:
        return StreamReply(reply["statusCode"], headers, str(reply["body"]))
    accepted = json.loads(reply["body"])
    # The same caller's request for the question and its progress.
    trace = {"queryStringParameters": {"trace": "true"}, "multiValueQueryStringParameters": {"trace": ["true"]}}
    get = {"httpMethod": "GET", "path": f"/v1/questions/{accepted['id']}", "body": None, "isBase64Encoded": False}
    request = cast(GatewayEvent, {**event, **get, **trace})

    def look() -> tuple[int, dict[str, Any]]:
        seen = ask(request)
        return seen["statusCode"], json.loads(seen["body"])

    request_id = str(context.get("requestId", ""))
    events = question_events(accepted, look, wait, request_id)
    retained = {name: values for name, values in headers.items() if name.lower() not in _DROPPED}
    return StreamReply(HTTPStatus.OK, {**retained, **_HEADERS}, encode_all(events))


def encoder_of(event: GatewayEvent) -> Callable[[Iterator[Event | None]], Iterator[str]] | None:
    """Return what writes the events of a question as the client reads them; None if it takes no events."""
    if accepts_events(event):
        return partial(map, encode)
    call = calls.call_of(event)
    return partial(calls.encode, call) if call and call.request.stream else None


def encode(event: Event | None) -> str:
    """Serialize an event; a comment for None."""
    return HEARTBEAT if event is None else f"event: {event.name}\ndata: {dump_json(event.data)}\n\n"
