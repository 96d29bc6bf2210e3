"""Helpers of the routes: the current request, its caller, its reply, and the problems of the description."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, cast

from aws_lambda_powertools.event_handler import Request, Response

from selfrag.api.edge.callers import Caller, caller_of
from selfrag.api.edge.gateway_event import GatewayEvent
from selfrag.api.edge.problems import CONTENT_TYPE, Problem, title_of
from selfrag.bootstrap import api
from selfrag.ports.bindings import Action
from selfrag.text.json_text import dump_json

JSON = "application/json"


def event_of(request: Request) -> GatewayEvent:
    """Return a request as API Gateway sent it."""
    return cast(GatewayEvent, request.resolved_event.raw_event)


def caller(request: Request, action: Action | None = None) -> Caller:
    """Return the caller of a request; raises ProblemError unless they may do `action`, or anything if it is None."""
    return caller_of(event_of(request), api.bindings(), action)


def request_path(request: Request) -> str:
    """Return the path as the caller sees it, including the stage unless the API has a custom domain."""
    event = event_of(request)
    return str(event.get("requestContext", {}).get("path") or event["path"])


def place_of(request: Request, path: str) -> str:
    """Return a path that begins with /v1/ as the caller sees it."""
    seen = request_path(request)
    return f"{seen[: seen.rindex('/v1/')]}{path}"


def reply(status: HTTPStatus, body: Mapping[str, object], headers: Mapping[str, str] | None = None) -> Response[Any]:
    """Return a JSON response."""
    return Response(status.value, JSON, dump_json(body), headers=dict(headers or {}))


def shows(description: str, model: Any, **more: Any) -> Any:
    """Return a reply of a route with a model as its JSON, for the description of the API."""
    return {"description": description, "content": {JSON: {"model": model}}, **more}


def problems(*statuses: int) -> dict[int, Any]:
    """Return the problems of a route, for the description of the API."""
    return {
        status: {"description": title_of(status), "content": {CONTENT_TYPE: {"model": Problem}}} for status in statuses
    }
