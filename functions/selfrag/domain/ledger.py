"""The ledger of a question: what each step left, in the order in which they ran (pure)."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from pydantic import BaseModel

from selfrag.domain.calls import ModelCall

# These fetch, hold together or keep what the steps of a path bring.
_NOT_IN_PATH = frozenset({"RecallAnswer", "Reflect", "ComposeAnswer", "RememberAnswer", "RememberFailure"})


class Entry(BaseModel):
    """What one step left: `attempts` counts how often it asked the model, `error` says why it brought nothing.

    An entry may hold more, for the workflow's Choices.
    """

    step: str
    calls: list[ModelCall] = []
    warnings: list[str] = []
    cached: bool = False
    error: str | None = None
    attempts: int = 0


def path_of(steps: Iterable[str]) -> list[str]:
    """The path that the named steps took: repeats stay, passages that were graded together are one step."""
    path: list[str] = []
    for side_by_side, group in groupby((name for name in steps if name not in _NOT_IN_PATH), _together):
        names = list(group)
        path += sorted(set(names)) if side_by_side else names
    return path


def rounds(ledger: Iterable[Entry]) -> Iterator[Sequence[Entry]]:
    """The entries in rounds: each its own, but those of steps that ran at the same time together."""
    for side_by_side, entries in groupby(ledger, lambda entry: _together(entry.step)):
        if side_by_side:
            yield list(entries)
        else:
            yield from ([entry] for entry in entries)


def _together(step: str) -> str:
    """The state around graders that run at the same time and may begin in any order; "" for all other steps."""
    if not step.startswith("Grade"):
        return ""
    return "GradePassages" if step == "GradeRelevance" else "Reflect"
