"""The routes that tell of the API itself: whether it answers, and what it takes."""

from http import HTTPStatus
from typing import Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router

from ask.edge.exchange import JSON, reply
from ask.edge.methods import DESCRIPTION

router = Router()  # type: ignore[no-untyped-call]


@router.get(
    "/v1/health",
    operation_id="health",
    summary="Whether the API answers",
    security=[{}],
    responses={200: {"description": "It does"}},
)
def health() -> Response[Any]:
    """Say that the API answers; it calls nothing."""
    return reply(HTTPStatus.OK, {"status": "ok"})


@router.get(
    "/v1/openapi.json",
    operation_id="describe",
    summary="This description",
    security=[{}],
    responses={200: {"description": "OpenAPI 3.1"}},
)
def describe() -> Response[Any]:
    """The description of this API, which a test keeps true."""
    return Response(HTTPStatus.OK.value, JSON, DESCRIPTION.read_text(encoding="utf-8"))
