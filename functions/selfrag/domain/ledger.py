"""The ledger of a question: what each step left, in the order in which they ran (pure)."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from pydantic import BaseModel

from selfrag.domain.calls import ModelCall

# The steps of a path, in the order of a turn. Other states fetch, hold together or keep what these bring.
_BEFORE = ("DecideRetrieval", "Retrieve", "SearchWeb", "GradeRelevance", "Generate")
_AFTER = ("RewriteQuestion", "RankPaths", "PickCandidate")


class Entry(BaseModel):
    """What one step left; steps with the same `turn` ran side by side, or waited for no model.

    In a Map the turns of an item's steps are those of the other items' too: where each waits for the one before, they
    count up from one more than any turn before. They need not come in order.
    `attempts` counts how often it asked the model, `error` says why it brought nothing. `waste` was done ahead, and the
    answer came about without it; a `query` that was `prepared` is, unless it was searched. `brought` is how many
    passages a search of the documents had, `sequences` how many texts the generator `selfrag` was asked for. `aim` is
    what a search was for, `found` how many of its passages are evidence, and a `repair` is an answer that was written
    again without the claims that failed. `of` is the segment after which a decision was made ahead.
    """

    step: str
    turn: int = -1
    calls: list[ModelCall] = []
    warnings: list[str] = []
    cached: bool = False
    error: str | None = None
    attempts: int = 0
    waste: bool = False
    prepared: bool = False
    query: str = ""
    brought: int | None = None
    sequences: int = 0
    aim: str = ""
    found: int | None = None
    repair: bool = False
    throttled: bool = False
    of: str = ""


def path_of(steps: Iterable[tuple[int, str]]) -> list[str]:
    """The path that steps took, each given by its turn and name: what ran side by side stands in one order, once."""
    path: list[str] = []
    for _, together in groupby(sorted(steps, key=lambda step: step[0]), key=lambda step: step[0]):
        names = {name for _, name in together}
        graders = [name for name in sorted(names) if _is_grader(name)]
        path += [name for name in (*_BEFORE, *graders, *_AFTER) if name in names]
    return path


def in_order(entries: Iterable[Entry]) -> list[Entry]:
    """The entries of one turn in the order of a path."""
    entries = list(entries)
    path = path_of((0, entry.step) for entry in entries)
    return sorted(entries, key=lambda entry: path.index(entry.step))


def _is_grader(step: str) -> bool:
    """Whether it judges an answer; those stand in a path by their names."""
    return step.startswith("Grade") and step not in _BEFORE


def rounds(ledger: Iterable[Entry]) -> int:
    """How many calls to the model had to wait for another: those of one step do, those of one turn do not."""
    most: dict[int, int] = {}
    for entry in ledger:
        most[entry.turn] = max(most.get(entry.turn, 0), len(entry.calls) or bool(entry.attempts))
    return sum(most.values())


def turns(ledger: Iterable[Entry]) -> Iterator[Sequence[Entry]]:
    """The entries by their turns, the earliest first, and in a turn as they came."""
    for _, entries in groupby(sorted(ledger, key=lambda entry: entry.turn), key=lambda entry: entry.turn):
        yield list(entries)


def wasted(entry: Entry, queries: Sequence[str]) -> bool:
    """Whether the answer to a question that searched these `queries` came about without this entry."""
    return entry.waste or (entry.prepared and entry.query not in queries)
