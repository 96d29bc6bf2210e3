"""What the laptop does with a reply as API Gateway does."""

import gzip
from typing import Any

import pytest
from werkzeug.test import EnvironBuilder
from werkzeug.wrappers import Request, Response

from cli.local.serving.invocation import COMPRESSED_FROM_BYTES, invoke

LARGE = "é" * (COMPRESSED_FROM_BYTES // 2)


def replied(body: str, accepted: str | None) -> Response:
    def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
        return {"statusCode": 200, "body": body, "multiValueHeaders": {"Content-Type": ["application/json"]}}

    headers = {} if accepted is None else {"Accept-Encoding": accepted}
    return invoke(handler, Request(EnvironBuilder(headers=headers).get_environ()))


@pytest.mark.parametrize("accepted", ["gzip", "br, gzip;q=0.5", "gzip, deflate, br"])
def test_a_large_reply_is_compressed_for_who_asks_for_that(accepted: str) -> None:
    response = replied(LARGE, accepted)
    assert (response.headers["content-encoding"], response.headers["vary"]) == ("gzip", "Accept-Encoding")
    assert gzip.decompress(response.get_data()).decode() == LARGE


@pytest.mark.parametrize(
    ("body", "accepted"),
    [(LARGE, None), (LARGE, "identity"), (LARGE, "*"), (LARGE, "gzip;q=0"), (LARGE[1:], "gzip")],
)
def test_every_other_reply_is_sent_as_it_is(body: str, accepted: str | None) -> None:
    response = replied(body, accepted)
    assert "content-encoding" not in response.headers
    assert response.get_data(as_text=True) == body
