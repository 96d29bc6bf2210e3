"""Calls and rounds of a question by strategy, as docs/strategies.md states them, without a clock."""

import re
from typing import Any

import pytest

from tests.bench.running import Asked, Running
from tests.bench.scenarios import LONG_AGO
from tests.bench.stories import STORIES
from tests.support.command import ROOT

pytestmark = pytest.mark.long

PAGE = (ROOT / "docs" / "strategies.md").read_text(encoding="utf-8")
# The columns of the page's table. The simulated model calls every question simple.
COLUMNS: dict[str, dict[str, Any]] = {
    "naive": {"strategy": "naive"},
    "corrective": {"strategy": "corrective"},
    "adaptive, simple, `off`": {"strategy": "adaptive", "speculate": "off"},
    "adaptive, simple, `draft`": {"strategy": "adaptive", "speculate": "draft"},
    "self_rag, `off`": {"strategy": "self_rag", "speculate": "off"},
    "self_rag, `draft`": {"strategy": "self_rag", "speculate": "draft"},
}
ASKED = ("four", "direct", "web", "never")


def asked_anew(at: Running, slug: str, **policy: Any) -> Asked:
    """Return the story's question, when nothing is remembered."""
    at.forget()
    at.api.clock.move(LONG_AGO)
    return at.ask(STORIES[slug].question(1), **policy)


def cell(asked: Asked) -> str:
    """Return what the page says of one question."""
    usage = asked.response["usage"]
    waste = usage["waste"]["model_calls"]
    assert usage["model_calls"] == len(asked.requests)
    return f"{usage['model_calls']}{f' ({waste})' if waste else ''} in {usage['rounds']}"


@pytest.mark.parametrize("slug", ASKED)
def test_a_strategy_takes_the_calls_and_rounds_that_its_page_states(started: Running, slug: str) -> None:
    rows = {row[0]: row[1:] for row in (re.split(r" *\| *", line.strip("| ")) for line in PAGE.splitlines())}
    assert rows["Question"] == list(COLUMNS)
    assert rows[STORIES[slug].name] == [cell(asked_anew(started, slug, **policy)) for policy in COLUMNS.values()]
