"""Replies to requests of OpenAI's APIs, as JSON or as server-sent events."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from selfrag.api.edge.gateway_event import GatewayEvent
from selfrag.api.openai import chat, responses
from selfrag.api.openai.requests import Call
from selfrag.api.streaming.events import Event
from selfrag.text.json_text import dump_json

# Keeps a connection open, and tells whether its client is still there.
HEARTBEAT = ": at work\n\n"
_APIS = {"/v1/chat/completions": chat, "/v1/responses": responses}


def call_of(event: GatewayEvent) -> Call | None:
    """Return the call of a request; None for another path, and for a body that cannot be read."""
    if event["httpMethod"] != "POST" or event["path"].rstrip("/") not in _APIS:
        return None
    try:
        return Call(event)
    except ValueError:
        return None


def whole_reply(call: Call, response: Mapping[str, Any]) -> dict[str, Any]:
    """Return a reply that is not streamed."""
    return dict(_APIS[call.path].reply(response, call))


def encode(call: Call, events: Iterable[Event | None]) -> Iterator[str]:
    """Yield the events of a question as the text of a stream."""
    for part in _APIS[call.path].stream(events, call):
        name = f"event: {part['type']}\n" if part and "type" in part else ""
        yield HEARTBEAT if part is None else f"{name}data: {dump_json(part)}\n\n"
    if call.path == "/v1/chat/completions":
        yield "data: [DONE]\n\n"
