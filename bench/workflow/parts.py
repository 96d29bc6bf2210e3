"""The parts of a run, each with its own stack: rows, strategies, graders and workflow."""

from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

from bench.workflow.api.apart import ApartApi
from bench.workflow.api.clock import standing
from bench.workflow.api.server import MessagesApi, usual_pace
from bench.workflow.graders import graded
from bench.workflow.orchestration import orchestration
from bench.workflow.paces import paces, zipf
from bench.workflow.paper.rows import Taken, taken
from bench.workflow.rows import Row
from bench.workflow.running import running
from bench.workflow.scenarios import FOUR, Scenarios
from bench.workflow.stories import SPECULATE
from selfrag.domain.questions import Policy
from selfrag.runtime.models import PROFILES
from selfrag.runtime.settings import Settings

# The default of both.
BALANCED, DEFAULT = Settings.model_fields["profile"].default, Policy().speculate
_PROFILES = sorted(PROFILES, key=lambda name: name != BALANCED)
Told = Callable[[str], None]
Tables = dict[str, list[dict[str, Any]]]


def rows(told: Told) -> list[Row]:
    """All scenarios, each profile of models, and questions that come again."""
    found = []
    for row in _rows():
        told(f"{row.scenario}, {row.speculate}, {row.profile}")
        found.append(row)
    return found


def _rows() -> Iterator[Row]:
    for profile in _PROFILES:
        with running(ApartApi(usual_pace), profile) as at:
            at.ask(FOUR.question(0))  # warm up
            scenarios = Scenarios(at, profile, timed=True)
            for speculate in SPECULATE if profile == BALANCED else (DEFAULT,):
                yield from scenarios.all(speculate) if profile == BALANCED else scenarios.warm_and_cold(speculate)
    with running(MessagesApi(clock=standing())) as at:
        yield from zipf(at, DEFAULT, BALANCED)


def strategies(told: Told) -> Tables:
    """Measure the paper's own inference and `self_rag`, by each profile of models."""
    found: list[Taken] = []
    for profile in _PROFILES:
        with running(ApartApi(usual_pace), profile) as at:
            at.ask(FOUR.question(0))  # warm up
            for one in taken(at, profile, SPECULATE if profile == BALANCED else (DEFAULT,), timed=True):
                told(f"{one.row.scenario}, {one.way}, {one.row.speculate}, {one.row.profile}")
                found.append(one)
    return {"strategies": [one.fields for one in found]}


def graders(progress: Told) -> Tables:
    """Return what questions take by Claude alone, by a decision model alone, and by both as a cascade."""
    rows = []
    for row in graded(usual_pace):
        progress(f"{row.scenario}, {row.strategy}, {row.speculate}, {row.graders}, {row.decision_seconds} s")
        rows.append(asdict(row))
    return {"graders": rows}


def workflow(told: Told, of: list[Row]) -> Tables:
    """Measure the workflow without the model, and the effect of prompt cache marks at several rates."""
    beside, at_paces = [], []
    with running(MessagesApi(clock=standing())) as at:
        at.ask(FOUR.question(0))
        for speculate in SPECULATE:
            told(f"the workflow alone, {speculate}")
            beside += [asdict(one) for one in orchestration(at, speculate, of)]
            told(f"paces, {speculate}")
            at_paces += [asdict(one) for one in paces(at, speculate)]
    return {"orchestration": beside, "paces": at_paces}
