"""Promises about GET /v1/ready, which monitors with a key may ask."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from selfrag import bootstrap
from selfrag.domain.errors import Misconfigured, TemporarilyUnavailable
from selfrag_cli.local.stores.bindings import LocalBindings
from tests.support.fakes import FakeIndex
from tests.unit.api.test_ask import EXPRESS, STANDARD, event, handler


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SELFRAG_EXPRESS_MACHINE_ARN", EXPRESS)
    monkeypatch.setenv("SELFRAG_STANDARD_MACHINE_ARN", STANDARD)


class Service:
    """A service whose calls find nothing, or fail so."""

    def __init__(self, error: Exception | None = None) -> None:
        self._error = error

    def __getattr__(self, name: str) -> Callable[..., None]:
        def call(*_: Any, **__: Any) -> None:
            if self._error:
                raise self._error

        return call


def asked(**errors: Exception) -> tuple[int, dict[str, Any]]:
    """Return the reply where these services fail so."""
    services: Any = {name: Service(errors.get(name)) for name in ("executions", "manifest")}
    index: Any = Service(errors["index"]) if "index" in errors else FakeIndex()
    with bootstrap.using(**services, index=index, bindings=LocalBindings("documents")):
        reply = handler(event("GET", "/v1/ready"), None)
    return reply["statusCode"], json.loads(reply["body"])


def test_a_deployment_whose_tables_and_collection_answer_is_ready() -> None:
    assert asked() == (200, {"status": "ok", "answers": "ok", "documents": "ok", "collection": "ok"})


@pytest.mark.parametrize(
    ("service", "name"), [("executions", "answers"), ("manifest", "documents"), ("index", "collection")]
)
@pytest.mark.parametrize("error", [TemporarilyUnavailable("busy"), Misconfigured("refused")])
def test_one_that_does_not_is_named(service: str, name: str, error: Exception) -> None:
    status, body = asked(**{service: error})
    assert (status, body["status"], body[name]) == (503, "failing", type(error).__name__)
    assert list(body.values()).count("ok") == 2


@pytest.mark.parametrize(("sleeps", "expected"), [("true", (200, "waking")), ("false", (503, "failing"))])
def test_only_a_collection_that_scales_to_zero_is_waking(
    sleeps: str, expected: tuple[int, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SELFRAG_COLLECTION_ENDPOINT", "https://c.example")
    monkeypatch.setenv("SELFRAG_COLLECTION_SLEEPS", sleeps)
    status, body = asked(index=TemporarilyUnavailable("no reply in time"))
    assert (status, body["status"]) == expected
    assert asked(index=Misconfigured("refused"))[0] == 503
