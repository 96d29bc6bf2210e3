"""Table values under names that are not theirs: worse than those that are lost, for they would be answered."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import groupby

from bench.documents.known.areas import Cell
from bench.documents.measures.tokens import tokens

Pairs = Sequence[tuple[str, str]]
_COMMON = 200  # rows: a word that stands in more of them does not tell which row it is


def wrongly_named(cells: Sequence[Cell], rows: Iterable[Pairs]) -> set[int]:
    """Return the numbers of the cells whose value is given under a name with a word that is no heading of theirs.

    The value must be in the row that shares most words with the cell's own row, at least half of them. It is not wrong
    if it also occurs under its own name, or if its name only lacks one of several headings. A value that merges several
    cells is wrong for each cell that its name does not describe.
    """
    at = _Rows(rows)
    found = set[int]()
    for _, group in groupby(enumerate(cells), key=lambda one: one[1].line):
        line = list(group)
        places = at.like([word for _, cell in line for word in tokens(cell.value)])
        told = [at.pairs[place] for place in places]
        words = Counter(word for _, cell in line for word in tokens(f"{cell.row} {cell.value}"))
        found |= {number for number, cell in line if told and _is_wrong(cell, told, words)}
    return found


class _Rows:
    """The rows that a reader gave, by their words."""

    def __init__(self, rows: Iterable[Pairs]) -> None:
        self.pairs = [[(tokens(name), tokens(value)) for name, value in row] for row in rows]
        self._words = [Counter(word for _, value in row for word in value) for row in self.pairs]
        self._with: defaultdict[str, list[int]] = defaultdict(list)
        for place, words in enumerate(self._words):
            for word in words:
                self._with[word].append(place)

    def like(self, words: Sequence[str]) -> list[int]:
        """Return the rows that share most words with a known one, if that is half of these."""
        known = Counter(words)
        telling = [word for word in known if len(self._with[word]) <= _COMMON] or list(known)
        near = {place for word in telling for place in self._with[word]}
        shared = {place: (self._words[place] & known).total() for place in near}
        most = max(shared.values(), default=0)
        return [place for place, many in shared.items() if many == most and 2 * many >= known.total() > 0]


def _is_wrong(cell: Cell, rows: Sequence[list[tuple[list[str], list[str]]]], words: Counter[str]) -> bool:
    value = tokens(cell.value)
    own = {word for name in cell.columns for word in tokens(name)}
    joined = "".join(tokens(" ".join(cell.columns)))  # some marked texts lack their spaces
    wrong = False
    for name, held in (pair for row in rows for pair in row):
        if not name or not value:
            continue
        if held == value:
            if own.issuperset(name) or "".join(name) in joined:
                return False
            wrong = True
        elif _holds(held, value) and Counter(held) <= words:
            wrong = wrong or own.isdisjoint(name)
    return wrong


def _holds(held: Sequence[str], value: Sequence[str]) -> bool:
    return f" {' '.join(value)} " in f" {' '.join(held)} "
