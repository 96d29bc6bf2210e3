"""What the laptop does with a reply as API Gateway does."""

import gzip
from typing import Any

import pytest
from starlette.responses import Response

from selfrag_cli.local.serving.invocation import COMPRESSED_FROM_BYTES, Asked, invoke

LARGE = "é" * (COMPRESSED_FROM_BYTES // 2)


def replied(body: str, accepted: str | None) -> Response:
    def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
        return {"statusCode": 200, "body": body, "multiValueHeaders": {"Content-Type": ["application/json"]}}

    headers = {} if accepted is None else {"accept-encoding": accepted}
    return invoke(handler, Asked("GET", "/", {}, headers))


@pytest.mark.parametrize("accepted", ["gzip", "br, gzip;q=0.5", "gzip, deflate, br", "GZIP;q=1.0"])
def test_a_large_reply_is_compressed_for_who_asks_for_that(accepted: str) -> None:
    response = replied(LARGE, accepted)
    assert (response.headers["content-encoding"], response.headers["vary"]) == ("gzip", "Accept-Encoding")
    assert gzip.decompress(response.body).decode() == LARGE


@pytest.mark.parametrize(
    ("body", "accepted"),
    [
        (LARGE, None),
        (LARGE, "identity"),
        (LARGE, "*"),
        (LARGE, "gzip;q=0"),
        (LARGE, "br, gzip;q=0.0, *"),
        (LARGE[1:], "gzip"),
    ],
)
def test_every_other_reply_is_sent_as_it_is(body: str, accepted: str | None) -> None:
    response = replied(body, accepted)
    assert "content-encoding" not in response.headers
    assert bytes(response.body).decode() == body
