"""The ledger of a question: an entry per step, in order of execution (pure)."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from pydantic import BaseModel

from selfrag.domain.calls import Flaw, ModelCall
from selfrag.domain.errors import BudgetExceeded, DeadlineExceeded

# Steps shown in a path, in the order within a turn. Other states fetch, combine or store.
_BEFORE = ("DecideRetrieval", "Retrieve", "SearchWeb", "GradeRelevance", "Generate")
_AFTER = ("RewriteQuestion", "RankPaths", "PickCandidate")


class Entry(BaseModel):
    """The record of a step; steps of the same `turn` ran in parallel or made no model call.

    Steps of different Map items share turn numbers; dependent steps get increasing ones, in any order. `attempts`
    counts model requests, `error` prevented a result, `flaw` is the reply's defect. `waste` is unused speculative work;
    a `prepared` `query` is waste unless it was searched. `hits` counts a document search's passages. `aim` is the aim
    of a search, `useful` the number of its passages that are evidence, and a `repair` is a regenerated answer without
    its failed claims. `of` is the segment after which a decision was made ahead.
    """

    step: str
    turn: int = -1
    calls: list[ModelCall] = []
    warnings: list[str] = []
    cached: bool = False
    error: str | None = None
    flaw: Flaw | None = None
    attempts: int = 0
    waste: bool = False
    prepared: bool = False
    query: str = ""
    hits: int | None = None
    aim: str = ""
    useful: int | None = None
    repair: bool = False
    throttled: bool = False
    of: str = ""


def path_of(steps: Iterable[tuple[int, str]]) -> list[str]:
    """Return the path of steps given by turn and name: each once, parallel steps in a fixed order."""
    path: list[str] = []
    for _, together in groupby(sorted(steps, key=lambda step: step[0]), key=lambda step: step[0]):
        names = {name for _, name in together}
        # Steps that judge an answer are sorted by name.
        graders = [name for name in sorted(names - {*_BEFORE}) if name.startswith("Grade")]
        path += [name for name in (*_BEFORE, *graders, *_AFTER) if name in names]
    return path


def sort_by_path(entries: Iterable[Entry]) -> list[Entry]:
    """Return the entries of a turn in path order."""
    entries = list(entries)
    path = path_of((0, entry.step) for entry in entries)
    return sorted(entries, key=lambda entry: path.index(entry.step))


def rounds(ledger: Iterable[Entry]) -> int:
    """Return the number of sequential model rounds; steps of a turn run in parallel."""
    most: dict[int, int] = {}
    for entry in ledger:
        most[entry.turn] = max(most.get(entry.turn, 0), len(entry.calls) or bool(entry.attempts))
    return sum(most.values())


def turns(ledger: Iterable[Entry]) -> Iterator[Sequence[Entry]]:
    """Yield the entries by turn, in the original order within each."""
    for _, entries in groupby(sorted(ledger, key=lambda entry: entry.turn), key=lambda entry: entry.turn):
        yield list(entries)


def is_waste(entry: Entry, queries: Sequence[str]) -> bool:
    """Return whether the answer did not need this entry, given the searched `queries`."""
    return entry.waste or (entry.prepared and entry.query not in queries)


def is_out_of_budget(ledger: Iterable[Entry]) -> bool:
    """Return whether a step lacked budget for its call and no step failed otherwise."""
    errors = {entry.error for entry in ledger if entry.error and not entry.waste} - {DeadlineExceeded.__name__}
    return errors == {BudgetExceeded.__name__}
