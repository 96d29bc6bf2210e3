"""The routes of the API's health and its description."""

import json
from functools import cache
from http import HTTPStatus
from typing import Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router

from selfrag.api.edge.exchange import JSON, reply
from selfrag.api.edge.methods import DESCRIPTION
from selfrag.runtime.settings import CallerSettings, read

_HEADER = {"type": "apiKey", "name": "Authorization", "in": "header"}
# What callers send where they need no key, in API Gateway's own description.
_SCHEMES = {
    "iam": {
        "signature": {
            **_HEADER,
            "x-amazon-apigateway-authtype": "awsSigv4",
            "description": "AWS Signature Version 4, for the service execute-api.",
        }
    },
    "authorizer": {"token": {**_HEADER, "description": "What the authorizer of this deployment accepts."}},
}

router = Router()  # type: ignore[no-untyped-call]


@router.get(
    "/v1/health",
    operation_id="health",
    summary="Whether the API answers",
    security=[{}],
    responses={200: {"description": "It does"}},
)
def health() -> Response[Any]:
    """Reply that the API answers; it calls nothing."""
    return reply(HTTPStatus.OK, {"status": "ok"})


@router.get(
    "/v1/openapi.json",
    operation_id="describe",
    summary="This description",
    security=[{}],
    responses={200: {"description": "OpenAPI 3.1"}},
)
def describe() -> Response[Any]:
    """Return the description of this API, which a test compares with the routes."""
    return Response(HTTPStatus.OK.value, JSON, described(read(CallerSettings).auth))


@cache
def described(auth: str) -> str:
    """Return the description as JSON, with what callers here must send: `api_key`, `iam`, `authorizer` or `none`."""
    text = DESCRIPTION.read_text(encoding="utf-8")
    if auth == "api_key":
        return text
    description = json.loads(text)
    schemes = _SCHEMES.get(auth, {})
    description["components"]["securitySchemes"] = schemes
    description["security"] = [{name: []} for name in schemes]
    return json.dumps(description, ensure_ascii=False)
