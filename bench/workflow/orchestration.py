"""The orchestration without the model: seconds, and state transitions with their price."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from bench.workflow.api.server import no_time
from bench.workflow.rows import Row
from bench.workflow.running import Running
from bench.workflow.scenarios import Scenarios
from bench.workflow.stories import STORIES

# US dollars in us-east-1, November 2026: for a transition of a Standard machine; for an execution of an Express one,
# and for each second of it with 64 MB, the least memory that is charged, in steps of 0.1 s.
TRANSITION, EXECUTION, GB_SECOND, EXPRESS_GB = 0.000025, 0.000001, 0.00001667, 64 / 1024


@dataclass(frozen=True)
class Orchestration:
    """A scenario with a model that takes no time: seconds, transitions, and the price of 1,000 such questions.

    The Express machine is charged for the time in which it waits for the model, so `express_usd` is for the seconds
    that the scenario took at the model's usual pace.
    """

    scenario: str
    speculate: str
    seconds: float
    transitions: int
    standard_usd: float
    express_usd: float


def transitions(history: Sequence[dict[str, Any]]) -> int:
    """Return the billed transitions of a Standard machine: every entered state, also in a Map, and every retry."""
    kinds = [event["type"] for event in history]
    entered = sum(kind.endswith("StateEntered") for kind in kinds)
    return entered + kinds.count("TaskScheduled") - kinds.count("TaskStateEntered")


def orchestration(at: Running, speculate: str, rows: Sequence[Row]) -> Iterator[Orchestration]:
    """Each scenario in no time; `rows` have their seconds at the model's pace."""
    paced = {(row.scenario, row.speculate): row.seconds for row in rows}
    pace, at.api.pace = at.api.pace, no_time
    try:
        for story in STORIES.values():
            asked = Scenarios(at, "", timed=True).once(story, speculate)
            entered = transitions(asked.history)
            seconds = math.ceil(10 * (paced.get((story.name, speculate)) or asked.seconds)) / 10
            yield Orchestration(
                scenario=story.name,
                speculate=speculate,
                seconds=round(asked.seconds, 2),
                transitions=entered,
                standard_usd=round(1000 * entered * TRANSITION, 2),
                express_usd=round(1000 * (EXECUTION + seconds * EXPRESS_GB * GB_SECOND), 4),
            )
    finally:
        at.api.pace = pace
