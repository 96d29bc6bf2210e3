"""The routes of the API's health, its readiness and its description."""

import json
from collections.abc import Callable, Sequence
from functools import cache
from http import HTTPStatus
from typing import Any, Literal

from aws_lambda_powertools.event_handler import Request, Response
from aws_lambda_powertools.event_handler.api_gateway import Router

from selfrag.api.edge.exchange import JSON, caller, problems, reply, shows
from selfrag.api.edge.methods import DESCRIPTION
from selfrag.bootstrap import api, index, ingestion
from selfrag.domain.base import Model
from selfrag.domain.errors import Misconfigured, SelfragError, TemporarilyUnavailable
from selfrag.domain.passages import Bounds
from selfrag.runtime.settings import CallerSettings, read

# No question and no document has this id.
_NOTHING = "ready"
_HEADER = {"type": "apiKey", "name": "Authorization", "in": "header"}
# Security schemes in API Gateway's terms, if callers need no key.
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


class Readiness(Model):
    """The components of a question besides its models, which are not called: `ok`, or an error's class name.

    `collection` is also `ok` if the API is in no network that reaches it, and `waking` if it scales to zero and does
    not answer yet: it starts with this request, within half a minute. After longer it counts as unreachable.
    """

    status: Literal["ok", "waking", "failing"]
    answers: str
    documents: str
    collection: str


@router.get(
    "/v1/ready",
    operation_id="ready",
    summary="Whether what a question needs answers",
    description="Reads the tables and the collection, as a question does; no model is asked. It starts a collection "
    "that scaled to zero. For monitors with a key: `GET /v1/health` says only that the API answers.",
    responses={
        200: shows("All of it does, or the collection is starting", Readiness),
        **problems(403, 429),
        503: shows("Some of it does not", Readiness),
    },
)
def ready(request: Request) -> Response[Any]:
    """Look at each service once."""
    who = caller(request)
    looks: dict[str, Callable[[], object]] = {
        "answers": lambda: api.executions().read_stored(_NOTHING),
        "documents": lambda: ingestion.manifest().read(_NOTHING),
        "collection": lambda: _check_collection(who.binding.collections),
    }
    outcomes = {name: _outcome(look) for name, look in looks.items()}
    if outcomes["collection"] == TemporarilyUnavailable.__name__ and api.api_settings().collection_sleeps:
        outcomes["collection"] = "waking"
    if set(outcomes.values()) - {"ok", "waking"}:
        return reply(HTTPStatus.SERVICE_UNAVAILABLE, Readiness(status="failing", **outcomes).model_dump())
    state: Literal["ok", "waking"] = "waking" if outcomes["collection"] == "waking" else "ok"
    return reply(HTTPStatus.OK, Readiness(status=state, **outcomes).model_dump())


def _check_collection(collections: Sequence[str]) -> None:
    try:
        passages = index()
    except Misconfigured:  # the API is in no network that reaches it
        return
    passages.fetch([_NOTHING], Bounds(collections[:1]))


def _outcome(look: Callable[[], object]) -> str:
    try:
        look()
    except SelfragError as error:
        return type(error).__name__
    return "ok"


@router.get(
    "/v1/openapi.json",
    operation_id="describe",
    summary="This description",
    security=[{}],
    responses={200: {"description": "OpenAPI 3.1"}},
)
def describe() -> Response[Any]:
    """Return the description of this API, which a test compares with the routes."""
    return Response(HTTPStatus.OK.value, JSON, describe_api(read(CallerSettings).auth))


@cache
def describe_api(auth: str) -> str:
    """Return the description as JSON with this service's authentication: `api_key`, `iam`, `authorizer` or `none`."""
    text = DESCRIPTION.read_text(encoding="utf-8")
    if auth == "api_key":
        return text
    description = json.loads(text)
    schemes = _SCHEMES.get(auth, {})
    description["components"]["securitySchemes"] = schemes
    description["security"] = [{name: []} for name in schemes]
    return json.dumps(description, ensure_ascii=False)
