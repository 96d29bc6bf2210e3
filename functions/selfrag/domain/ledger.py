"""The ledger of a question: an entry for each step, in the order in which they ran (pure)."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from pydantic import BaseModel

from selfrag.domain.calls import Flaw, ModelCall
from selfrag.domain.errors import BudgetExceeded, DeadlineExceeded

# The steps of a path, in the order of a turn. Other states fetch, combine or store their results.
_BEFORE = ("DecideRetrieval", "Retrieve", "SearchWeb", "GradeRelevance", "Generate")
_AFTER = ("RewriteQuestion", "RankPaths", "PickCandidate")


class Entry(BaseModel):
    """The record of one step; steps with the same `turn` ran in parallel, or waited for no model.

    Steps of different Map items share turn numbers; dependent steps get increasing ones. They need not come in order.

    `attempts` is the number of requests to the model, `error` the reason for no result, `flaw` what was wrong with the
    reply. `waste` is speculative work that the answer did without; a `prepared` `query` is waste unless it was
    searched. `hits` is the number of passages that a search of the documents brought. `aim` is the aim of a search,
    `useful` the number of its passages that are evidence, and a `repair` is an answer that was written again without
    the claims that failed. `of` is the segment after which a decision was made ahead.
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
    """Return the path of steps, given by turn and name: parallel steps stand in one order, each once."""
    path: list[str] = []
    for _, together in groupby(sorted(steps, key=lambda step: step[0]), key=lambda step: step[0]):
        names = {name for _, name in together}
        graders = [name for name in sorted(names) if _is_grader(name)]
        path += [name for name in (*_BEFORE, *graders, *_AFTER) if name in names]
    return path


def in_order(entries: Iterable[Entry]) -> list[Entry]:
    """Return the entries of one turn in the order of a path."""
    entries = list(entries)
    path = path_of((0, entry.step) for entry in entries)
    return sorted(entries, key=lambda entry: path.index(entry.step))


def _is_grader(step: str) -> bool:
    """Return whether a step judges an answer; those stand in a path by their names."""
    return step.startswith("Grade") and step not in _BEFORE


def rounds(ledger: Iterable[Entry]) -> int:
    """Return the number of sequential model rounds: steps of one turn run in parallel."""
    most: dict[int, int] = {}
    for entry in ledger:
        most[entry.turn] = max(most.get(entry.turn, 0), len(entry.calls) or bool(entry.attempts))
    return sum(most.values())


def turns(ledger: Iterable[Entry]) -> Iterator[Sequence[Entry]]:
    """Yield the entries turn by turn, the earliest first, and within a turn as they came."""
    for _, entries in groupby(sorted(ledger, key=lambda entry: entry.turn), key=lambda entry: entry.turn):
        yield list(entries)


def wasted(entry: Entry, queries: Sequence[str]) -> bool:
    """Return whether the answer did without this entry, for a question that searched these `queries`."""
    return entry.waste or (entry.prepared and entry.query not in queries)


def is_out_of_budget(ledger: Iterable[Entry]) -> bool:
    """Return whether a step found too little of the budget left for its call, and no step failed for another reason."""
    errors = {entry.error for entry in ledger if entry.error and not entry.waste} - {DeadlineExceeded.__name__}
    return errors == {BudgetExceeded.__name__}
