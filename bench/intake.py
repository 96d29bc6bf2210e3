"""The intake of many files, by its definition on a simulated clock: hours, transitions, events, dollars."""

import argparse
import random
import sys
from collections.abc import Callable
from dataclasses import dataclass

from selfrag_cli.local.runner.failures import Failure
from tests.support.intake import BEGIN, Intake, Json, Run, uploaded

# Passages of a document: most are short. A call of Titan takes so long, and two are made at once; the rest is reading,
# splitting, writing and recording a document.
PASSAGES = (5, 5, 10, 10, 10, 20, 40, 80, 200)
SECONDS_OF_A_CALL, SECONDS_OF_THE_REST = 0.12, 11
PLACES = 5
# Files that come in a second.
RATE = 100
# AWS Step Functions' price of a transition of a Standard machine, and DynamoDB's of a write unit.
DOLLARS_OF_A_TRANSITION, DOLLARS_OF_A_WRITE = 0.000025, 0.000000625
# The states that write an item of the queue, which is written to its index, too, and those that write a place.
WRITES = {"RecordUpload": 2, "ClaimEntry": 2, "RemoveEntry": 2, "TakePlace": 1, "FreePlace": 1}


@dataclass(frozen=True)
class IntakeCost:
    """The cost of the intake of so many files at so many calls of Titan a minute."""

    files: int
    calls: int
    hours: float
    transitions: int
    writes: int
    longest: int
    failed: int

    @property
    def dollars(self) -> float:
        """Return what Step Functions and DynamoDB ask for it."""
        return self.transitions * DOLLARS_OF_A_TRANSITION + self.writes * DOLLARS_OF_A_WRITE

    def row(self) -> str:
        """Return a row of the page's table."""
        each = f"{self.transitions / self.files:.1f} | {self.dollars:.2f} | {1000 * self.dollars / self.files:.2f}"
        return f"| {self.files:,} | {self.calls:,} | {self.hours:.1f} | {each} | {self.longest:,} |"


def simulated(files: int, calls: int, machine: Json | None = None) -> IntakeCost:
    """Let files come, and return what their intake cost until the last was ingested."""
    chance = random.Random(1)
    titan_free = BEGIN
    ended: list[tuple[int, int, str]] = []

    def ingest(document: Json, end: Callable[[Json | Failure], None]) -> None:
        nonlocal titan_free
        passages = chance.choice(PASSAGES)
        now = intake.clock.now
        # All share the quota, in turn.
        titan_free = max(titan_free, now) + passages * 60 / calls
        ready = max(titan_free, now + passages * SECONDS_OF_A_CALL / 2) + SECONDS_OF_THE_REST
        intake.clock.after(ready - now, lambda: end({"action": "read", "unfinished": False}))

    def note(run: Run) -> None:
        ended.append((run.transitions, run.events, run.status))

    def come(number: int) -> None:
        intake.start(uploaded(f"c/{number}.md"))
        if number + 1 < files:
            intake.clock.after(1 / RATE, lambda: come(number + 1))

    intake = Intake(ingest, {"uploads": PLACES}, machine=machine, chance=chance)
    intake.on_end = note
    intake.clock.after(0, lambda: come(0))
    intake.clock.run()
    return IntakeCost(
        files=files,
        calls=calls,
        hours=(intake.clock.now - BEGIN) / 3600,
        transitions=sum(intake.transitions.values()),
        writes=sum(intake.transitions[state] * units for state, units in WRITES.items()),
        longest=max(events for _, events, _ in ended),
        failed=sum(status != "SUCCEEDED" for *_, status in ended),
    )


def run() -> None:
    """Print the rows of bench/figures/intake.json."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, nargs="*", default=[1_000, 10_000, 100_000])
    parser.add_argument("--calls", type=int, nargs="*", default=[60, 2_000])
    chosen = parser.parse_args()
    for calls in chosen.calls:
        for files in chosen.files:
            cost = simulated(files, calls)
            sys.stdout.write(f"{cost.row()}  {cost.failed} failed\n")
            sys.stdout.flush()
