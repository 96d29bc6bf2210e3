"""Promises about the invocations that keep a function warm: they do nothing, and nobody counts them."""

from collections.abc import Iterator
from typing import Any

import pytest

from selfrag.api import app as api
from selfrag.runtime import observability
from selfrag_cli.local.stack import QUESTION
from tests.support.aws.stack import deployed_handlers

EVENT = {"keep_warm": True}


@pytest.fixture
def noted(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Yield the recorded metrics and logs."""
    notes: list[str] = []
    for module in (observability, api):
        monkeypatch.setattr(module, "count_step", lambda name, *_, **__: notes.append(name))
    for level in ("info", "warning"):
        monkeypatch.setattr(observability.logger, level, lambda text, **_: notes.append(text))
    return notes


@pytest.mark.parametrize("step", sorted(deployed_handlers(QUESTION)))
def test_a_step_does_nothing_counts_nothing_and_logs_nothing(step: str, noted: list[str]) -> None:
    assert deployed_handlers(QUESTION)[step](dict(EVENT), None) == {}
    assert noted == []


def test_the_api_neither(noted: list[str]) -> None:
    handler: Any = api.make_handler(api.make_app())
    assert handler(dict(EVENT), None) == {}
    assert noted == []


def test_a_question_that_names_it_is_still_a_question(noted: list[str]) -> None:
    task = {**EVENT, "question": "How many days?", "collections": ["c"], "began_ms": 0, "now_ms": 0}
    assert deployed_handlers(QUESTION)["plan"](task, None)["plan"]["steps"]
    assert noted == ["done", "plan"]
