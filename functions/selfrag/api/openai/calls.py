"""Requests to OpenAI's APIs with their replies, as JSON or as server-sent events."""

import base64
import time
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from selfrag.api.edge.gateway_event import GatewayEvent
from selfrag.api.openai import chat, responses
from selfrag.api.openai.content import ReplyHeading
from selfrag.api.openai.requests import CompatibleRequest, translate
from selfrag.api.streaming.events import Event
from selfrag.domain.questions import AskRequest
from selfrag.text.json_text import dump_json

# Keeps a connection open, and tells whether its client is still there.
HEARTBEAT = ": at work\n\n"
_APIS = {"/v1/chat/completions": chat, "/v1/responses": responses}


class Call:
    """A request to one of the APIs."""

    def __init__(self, event: GatewayEvent) -> None:
        body = event.get("body") or ""
        text = base64.b64decode(body) if event.get("isBase64Encoded") else body
        self.request = CompatibleRequest.model_validate_json(text)
        self._api, self._event = _APIS[event["path"].rstrip("/")], event

    @cached_property
    def translation(self) -> tuple[AskRequest, list[str]]:
        """Return the question and the names of ignored fields; raises InvalidInput or ProblemError."""
        return translate(self.request)

    def reply(self, response: Mapping[str, Any]) -> dict[str, Any]:
        """Return a reply that is not streamed."""
        return dict(self._api.reply(response, self._heading()))

    def encode(self, events: Iterable[Event | None]) -> Iterator[str]:
        """Yield the events of a question as the text of a stream."""
        for part in self._api.stream(events, self._heading()):
            name = f"event: {part['type']}\n" if part and "type" in part else ""
            yield HEARTBEAT if part is None else f"{name}data: {dump_json(part)}\n\n"
        if self._api is chat:
            yield "data: [DONE]\n\n"

    def _heading(self) -> ReplyHeading:
        context = self._event.get("requestContext", {})
        headers = {name.lower(): value for name, value in (self._event.get("headers") or {}).items()}
        # Only the laptop's server is reached by plain HTTP, without a proxy.
        origin = f"{headers.get('x-forwarded-proto', 'http')}://{headers.get('host', '')}"
        return ReplyHeading(
            model=self.request.model,
            created=int(context.get("requestTimeEpoch", 1000 * time.time()) / 1000),
            base_url=origin + str(context.get("path") or self._event["path"]).partition("/v1/")[0],
            ignored=self.translation[1],
            includes_usage=bool((self.request.stream_options or {}).get("include_usage")),
            previous=self.request.previous or None,
        )


def call_of(event: GatewayEvent) -> Call | None:
    """Return the call of a request; None for another path, and for a body that cannot be read."""
    if event["httpMethod"] != "POST" or event["path"].rstrip("/") not in _APIS:
        return None
    try:
        return Call(event)
    except ValueError:
        return None
