"""The route of the page on which people ask; the API's description leaves it out."""

from http import HTTPStatus
from typing import Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router

from selfrag.api.page import bundle
from selfrag.bootstrap import api

router = Router()  # type: ignore[no-untyped-call]


@router.get("/", include_in_schema=False)
def show_page() -> Response[Any]:
    """Return the page, without a key; its requests to the API need one."""
    headers = {
        "Content-Security-Policy": bundle.policy(api.uploads().origin()),
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-cache",
    }
    return Response(HTTPStatus.OK.value, "text/html; charset=utf-8", bundle.html(), headers=headers)
