"""The description says what a caller of this deployment has to show, and is the same in all else."""

import json
from typing import Any

import pytest

from ask.app import make_app
from ask.edge.methods import DESCRIPTION
from ask.handler import make_handler
from tests.unit.ask.test_ask import CONTEXT, event


def told(monkeypatch: pytest.MonkeyPatch, auth: str | None) -> dict[str, Any]:
    """Return the description that a deployment gives whose callers show this."""
    monkeypatch.delenv("SELFRAG_AUTH", raising=False)
    if auth:
        monkeypatch.setenv("SELFRAG_AUTH", auth)
    replied = make_handler(make_app())(event("GET", "/v1/openapi.json"), CONTEXT)
    assert replied["statusCode"] == 200
    return dict(json.loads(replied["body"]))


@pytest.mark.parametrize("auth", [None, "api_key"])
def test_where_keys_are_asked_for_the_description_is_the_file(
    monkeypatch: pytest.MonkeyPatch, auth: str | None
) -> None:
    assert told(monkeypatch, auth) == json.loads(DESCRIPTION.read_text(encoding="utf-8"))


@pytest.mark.parametrize(("auth", "shown"), [("iam", ["signature"]), ("none", [])])
def test_what_callers_have_to_show_is_all_that_differs(
    monkeypatch: pytest.MonkeyPatch, auth: str, shown: list[str]
) -> None:
    described, known = told(monkeypatch, auth), json.loads(DESCRIPTION.read_text(encoding="utf-8"))
    assert [list(one) for one in described.pop("security")] == [[name] for name in shown]
    schemes = described["components"].pop("securitySchemes")
    assert list(schemes) == shown
    assert all(scheme["x-amazon-apigateway-authtype"] == "awsSigv4" for scheme in schemes.values())
    del known["security"], known["components"]["securitySchemes"]
    assert described == known
