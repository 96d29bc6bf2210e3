"""The API's app, and what its routes share: the request at hand, its caller, replies, and problems as documented."""

import json
from http import HTTPStatus
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayRestResolver, Response

from ask.callers import Caller, caller_of
from ask.problems import Problem
from selfrag import bootstrap

JSON = "application/json"

app = APIGatewayRestResolver(enable_validation=True)


def request() -> dict[str, Any]:
    """The request at hand, as API Gateway gave it."""
    raw: dict[str, Any] = app.current_event.raw_event
    return raw


def caller() -> Caller:
    """Who sent the request at hand."""
    return caller_of(request(), bootstrap.api_settings())


def request_path() -> str:
    """The path as the caller sees it: the stage is in front where the API has no domain of its own."""
    return str(request().get("requestContext", {}).get("path") or request()["path"])


def place_of(path: str) -> str:
    """Where the caller finds a path that begins with /v1/."""
    seen = request_path()
    return f"{seen[: seen.rindex('/v1/')]}{path}"


def reply(status: HTTPStatus, body: dict[str, Any], location: str = "") -> Response[Any]:
    """A JSON response, with the place of what was made."""
    headers: Any = {"Location": location} if location else None
    return Response(status.value, JSON, json.dumps(body, ensure_ascii=False), headers=headers)


def problems(*statuses: int) -> dict[int, Any]:
    """The problems of a route, for the description of the API."""
    return {
        status: {
            "description": HTTPStatus(status).phrase,
            "content": {"application/problem+json": {"model": Problem}},
        }
        for status in statuses
    }
