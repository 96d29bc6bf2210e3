"""The service that answers the tools of agents, and its calls of the API."""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Protocol

from selfrag.api.edge.gateway_event import RequestContext
from selfrag.domain.errors import InvalidInput, TemporarilyUnavailable
from selfrag.domain.questions import AskRequest, Filters

_BUSY = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)


@dataclass(frozen=True)
class AgentCaller:
    """The caller of a tool: its API key, "" without one, and what gets the name of each state that is entered."""

    key: str
    on_state: Callable[[str], Awaitable[None]]


class AgentService(Protocol):
    """A service that answers the tools; its methods raise SelfragError."""

    async def ask(self, request: AskRequest, caller: AgentCaller) -> Mapping[str, Any]:
        """Return the response to a question, or its id while it runs; a cancellation may end its execution."""

    async def get(self, path: str, query: Mapping[str, object], caller: AgentCaller) -> Mapping[str, Any]:
        """Return the API's response for a path as the caller."""

    async def search(self, query: str, filters: Filters, top_k: int) -> Mapping[str, Any]:
        """Return the best passages for a query, and how many full text matched."""


def call_api(
    handle: Callable[[dict[str, Any]], Mapping[str, Any]],
    context: RequestContext,
    method: str,
    path: str,
    query: Mapping[str, object] | None = None,
    body: str | None = None,
) -> Mapping[str, Any]:
    """Return the fields of the API's reply to a caller, whom the context of the request names.

    `handle` is the API's Lambda handler, or invokes it. A problem raises the error that a caller can act on.
    """
    names = {name: str(value) for name, value in (query or {}).items()}
    event = {
        "resource": path,
        "path": path,
        "httpMethod": method,
        "headers": {"content-type": "application/json"},
        "queryStringParameters": names or None,
        "requestContext": {**context, "path": path, "httpMethod": method},
        "body": body,
        "isBase64Encoded": False,
    }
    reply = handle(event)
    fields: Mapping[str, Any] = json.loads(reply["body"])
    if reply["statusCode"] >= HTTPStatus.BAD_REQUEST:
        kind = TemporarilyUnavailable if reply["statusCode"] in _BUSY else InvalidInput
        raise kind(f"{fields['detail']} {fields['hint']}")
    return fields
