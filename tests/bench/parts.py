"""The parts of a run, each with its own stack: rows, strategies, workflow, serve, index and page."""

from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

import pytest

from selfrag.domain.questions import Policy
from selfrag.runtime.models import PROFILES
from selfrag.runtime.settings import Settings
from tests.bench.api.apart import ApartApi
from tests.bench.api.clock import standing
from tests.bench.api.server import MessagesApi, usual_pace
from tests.bench.orchestration import orchestration
from tests.bench.paces import paces, zipf
from tests.bench.paper.rows import Taken, taken
from tests.bench.rows import Row
from tests.bench.running import running
from tests.bench.scenarios import FOUR, Scenarios
from tests.bench.serving import served, throughputs
from tests.bench.stories import SPECULATE

# The default of both.
BALANCED, DEFAULT = Settings.model_fields["profile"].default, Policy().speculate
_PROFILES = sorted(PROFILES, key=lambda name: name != BALANCED)
SAMPLES = 6
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
            at.ask(FOUR.question(0))  # what a first question loads is no scenario's
            scenarios = Scenarios(at, profile, timed=True)
            for speculate in SPECULATE if profile == BALANCED else (DEFAULT,):
                yield from scenarios.all(speculate) if profile == BALANCED else scenarios.warm_and_cold(speculate)
    with running(MessagesApi(clock=standing())) as at:
        yield from zipf(at, DEFAULT, BALANCED)


def strategies(told: Told) -> Tables:
    """Return the paper's own inference beside `self_rag`, by each profile of models."""
    found: list[Taken] = []
    for profile in _PROFILES:
        with running(ApartApi(usual_pace), profile) as at:
            at.ask(FOUR.question(0))  # what a first question loads is no row's
            for one in taken(at, profile, SPECULATE if profile == BALANCED else (DEFAULT,), timed=True):
                told(f"{one.row.scenario}, {one.way}, {one.row.speculate}, {one.row.profile}")
                found.append(one)
    return {"strategies": [one.fields for one in found]}


def workflow(told: Told, of: list[Row]) -> Tables:
    """Return what the workflow takes beside the model, and what marks of the prompt cache bring at several paces."""
    beside, at_paces = [], []
    with running(MessagesApi(clock=standing())) as at:
        at.ask(FOUR.question(0))
        for speculate in SPECULATE:
            told(f"the workflow alone, {speculate}")
            beside += [asdict(one) for one in orchestration(at, speculate, of)]
            told(f"paces, {speculate}")
            at_paces += [asdict(one) for one in paces(at, speculate)]
    return {"orchestration": beside, "paces": at_paces}


def serve(told: Told, questions: int) -> Tables:
    """`selfrag serve` with 1, 4 and 16 clients, and its memory over so many questions."""
    with served() as at:
        many = []
        for one in throughputs(at):
            told(f"{one.clients} clients, model: {one.model}")
            many.append(asdict(one))
        told(f"memory over {questions} questions")
        return {"serve": many, "memory": [asdict(one) for one in at.memory(questions, questions // SAMPLES)]}


def index(told: Told) -> Tables:
    """Return the laptop's index, by its size."""
    # Loads what the other parts do not need.
    from selfrag_cli.lab.bench.index_sizes import measure

    told("the index of the laptop")
    return {"index": [asdict(size) for size in measure()]}


def page(told: Told) -> list[dict[str, Any]]:
    """Return the page in Chromium; nothing where that is missing."""
    # Loads what the other parts do not need.
    from tests.bench.painting import appearances

    found = []
    try:
        for one in appearances():
            told(f"the page: {one.what}")
            found.append(asdict(one))
    except pytest.skip.Exception as missing:
        told(f"the page is left out: {missing}")
    return found
