"""Calls of OpenAI's API: the request of an event, and its replies, whole or as server-sent events."""

import base64
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from pydantic import ValidationError

from selfrag.api.edge.gateway_event import GatewayEvent
from selfrag.api.openai import chat, responses
from selfrag.api.openai.content import Heading
from selfrag.api.openai.requests import ChatRequest, CompatibleRequest, ResponsesRequest, Translation, translate
from selfrag.api.streaming.events import Event
from selfrag.text.json_text import dump_json

# Keeps a connection open, and tells whether its client is still there.
HEARTBEAT = ": at work\n\n"


class _Interface(NamedTuple):
    request: type[CompatibleRequest]
    reply: Callable[[Mapping[str, Any], Heading], dict[str, Any]]
    stream: Callable[[Iterable[Event | None], Heading], Iterator[dict[str, Any] | None]]
    end: str


_INTERFACES = {
    "/v1/chat/completions": _Interface(ChatRequest, chat.completion, chat.chunks, "data: [DONE]\n\n"),
    "/v1/responses": _Interface(ResponsesRequest, responses.response_of, responses.stream_events, ""),
}


@dataclass(frozen=True)
class Call:
    """A request to one of the two interfaces."""

    interface: _Interface
    request: CompatibleRequest
    event: GatewayEvent

    @cached_property
    def translation(self) -> Translation:
        """Return the request as a question; raises InvalidInput or ProblemError for what cannot be had."""
        return translate(self.request)

    def reply(self, response: Mapping[str, Any]) -> dict[str, Any]:
        """Return a response as a whole reply."""
        return self.interface.reply(response, self._heading())

    def encode(self, events: Iterable[Event | None]) -> Iterator[str]:
        """Yield the events of a question as the text of a stream."""
        for part in self.interface.stream(events, self._heading()):
            name = f"event: {part['type']}\n" if part and "type" in part else ""
            yield HEARTBEAT if part is None else f"{name}data: {dump_json(part)}\n\n"
        if self.interface.end:
            yield self.interface.end

    def _heading(self) -> Heading:
        context = self.event.get("requestContext", {})
        headers = {name.lower(): value for name, value in (self.event.get("headers") or {}).items()}
        # Only the laptop's server is reached by plain HTTP, and it has no proxy before it.
        origin = f"{headers.get('x-forwarded-proto', 'http')}://{headers.get('host', '')}"
        return Heading(
            model=self.request.model,
            created=int(context.get("requestTimeEpoch", 1000 * time.time()) / 1000),
            base_url=origin + str(context.get("path") or self.event["path"]).partition("/v1/")[0],
            ignored=self.translation.ignored,
            includes_usage=self.request.includes_usage,
            previous=self.request.previous or None,
        )


def call_of(event: GatewayEvent) -> Call | None:
    """Return the call of a request; None for another one, and for a body that no interface reads."""
    interface = _INTERFACES.get(event["path"].rstrip("/"))
    body = event.get("body") or ""
    if interface is None or event["httpMethod"] != "POST":
        return None
    try:
        text = base64.b64decode(body) if event.get("isBase64Encoded") else body
        return Call(interface, interface.request.model_validate_json(text), event)
    except (ValidationError, ValueError):
        return None
