"""CORS at the function itself, for the origins that a deployment allows."""

from typing import Any

import pytest

from selfrag.api.app import make_app, make_handler
from selfrag.runtime.settings import CallerSettings, read
from tests.unit.api.test_ask import CONTEXT, event

NAMED = "https://app.example.com"


def heard(origin: str, method: str = "GET", named: str = NAMED, path: str = "/v1/health") -> dict[str, list[str]]:
    """Return the headers of a reply that are of CORS, for a deployment that names these origins."""
    handle = make_handler(make_app(), read(CallerSettings, cors_origins=named).origins)
    sent = {**event(method, path), "headers": {"Origin": origin, "Access-Control-Request-Method": "POST"}}
    headers: dict[str, Any] = handle(sent, CONTEXT)["multiValueHeaders"]
    return {name: value for name, value in headers.items() if name.startswith("Access-Control") or name == "Vary"}


def test_named_origin_may_send_key_and_read_retry_after() -> None:
    asked = heard(NAMED, "OPTIONS", path="/v1/ask")
    assert asked["Access-Control-Allow-Origin"] == [NAMED]
    assert "POST" in asked["Access-Control-Allow-Methods"][0]
    assert "X-Api-Key" in asked["Access-Control-Allow-Headers"][0]
    got = heard(NAMED, named=f"https://other.example.com,{NAMED}")
    assert (got["Access-Control-Allow-Origin"], got["Vary"]) == ([NAMED], ["Origin"])
    assert "Retry-After" in got["Access-Control-Expose-Headers"][0]


@pytest.mark.parametrize("origin", ["https://evil.example.com", "https://app.example.com.evil.org", "null", ""])
def test_no_other_origin_hears_anything(origin: str) -> None:
    assert heard(origin) == {"Vary": ["Origin"]}
    assert heard(origin, named="") == {}


def test_every_page_may_where_a_deployment_says_so() -> None:
    assert heard("https://any.example.com", named="*")["Access-Control-Allow-Origin"] == ["*"]
