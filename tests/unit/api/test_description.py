"""The description contains the deployment's authentication, and is otherwise the same."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from selfrag.api.app import make_app, make_handler
from selfrag.api.edge.methods import DESCRIPTION
from tests.unit.api.test_ask import CONTEXT, event


def told(monkeypatch: pytest.MonkeyPatch, auth: str | None) -> dict[str, Any]:
    """Return the description that a deployment gives whose callers show this."""
    monkeypatch.delenv("SELFRAG_AUTH", raising=False)
    if auth:
        monkeypatch.setenv("SELFRAG_AUTH", auth)
    replied = make_handler(make_app())(event("GET", "/v1/openapi.json"), CONTEXT)
    assert replied["statusCode"] == 200
    return dict(json.loads(replied["body"]))


@pytest.mark.parametrize("auth", [None, "api_key"])
def test_key_auth_serves_description_file_unchanged(monkeypatch: pytest.MonkeyPatch, auth: str | None) -> None:
    assert told(monkeypatch, auth) == json.loads(DESCRIPTION.read_text(encoding="utf-8"))


@pytest.mark.parametrize(("auth", "shown"), [("iam", ["signature"]), ("authorizer", ["token"]), ("none", [])])
def test_description_differs_only_in_security_schemes(
    monkeypatch: pytest.MonkeyPatch, auth: str, shown: list[str]
) -> None:
    described, known = told(monkeypatch, auth), json.loads(DESCRIPTION.read_text(encoding="utf-8"))
    assert [list(one) for one in described.pop("security")] == [[name] for name in shown]
    schemes = described["components"].pop("securitySchemes")
    assert list(schemes) == shown
    assert {scheme.get("x-amazon-apigateway-authtype") for scheme in schemes.values()} <= {
        "awsSigv4" if auth == "iam" else None
    }
    assert {scheme["name"] for scheme in schemes.values()} <= {"Authorization"}
    del known["security"], known["components"]["securitySchemes"]
    assert described == known


def schemas(of: Any) -> Iterator[dict[str, Any]]:
    """Yield everything in a description that may be a schema."""
    if isinstance(of, dict):
        yield of
    for each in of.values() if isinstance(of, dict) else of if isinstance(of, list) else ():
        yield from schemas(each)


def test_generators_of_clients_find_no_form_that_they_do_not_understand() -> None:
    described = json.loads(DESCRIPTION.read_text(encoding="utf-8"))
    found = list(schemas({**described, "info": {}}))
    assert len(found) > 500
    assert not [one for one in found if isinstance(one.get("title"), str)], "Java makes a class of it"
    nullable = [one["anyOf"] for one in found if {"type": "null"} in one.get("anyOf", [])]
    assert not [kinds for kinds in nullable if not any("$ref" in kind or "enum" in kind for kind in kinds)]
    assert not [one for one in found if "prefixItems" in one and "items" not in one], "spectral refuses it"
