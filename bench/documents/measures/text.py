"""Measures of a reader on a known text: words lost, invented and glued, and their order."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from bench.documents.known.areas import Cell
from bench.documents.measures.tokens import tokens, words

# A run of this many tokens is unique in most texts, so it shows where a stretch of text moved.
SHINGLE = 4


@dataclass(frozen=True)
class Kept:
    """Counts for one document: of `known` tokens so many are `lost`; of `read` words, `glued`, `invented`, `furniture`.

    `common` is how many stretches are in both and in each once, `in_order` the most of them that stand in one order.
    """

    known: int
    lost: int
    read: int
    glued: int
    invented: int
    furniture: int
    common: int
    in_order: int


class Source:
    """A known text with the cells of its tables, made ready once for all readers that are held against it."""

    def __init__(self, known: str, furniture: str = "", cells: Sequence[Cell] = (), whole: bool = True) -> None:
        self._whole = whole
        self._tokens = tokens(known)
        self._counted = Counter(self._tokens)
        self._once = _once(self._tokens)
        around = words(furniture)
        self._words = Counter(words(known))
        self._furniture = Counter(around)
        # Header rows and values repeated from the row above are not navigation.
        values = Counter(word for cell in cells for word in words(cell.value))
        named = Counter(word for cell in cells for name in cell.columns for word in words(name))
        self._may_be_said = (self._words | values) + named
        self._types = {*self._counted, *tokens(furniture), *self._words, *around}
        self._glue = Glue([*words(known), *around])

    def kept(self, read: str) -> Kept:
        """Compare a reader's text with the reference; if the reference is partial, count only losses."""
        if not self._whole:
            lost = (self._counted - Counter(tokens(read))).total()
            return Kept(len(self._tokens), lost, 0, 0, 0, 0, 0, 0)
        of_read, given = tokens(read), Counter(words(read))
        glued, invented = self._strange(given)
        places = _once(of_read)
        found = [places[shingle] for shingle in self._once if shingle in places]
        return Kept(
            known=len(self._tokens),
            lost=(self._counted - Counter(of_read)).total(),
            read=given.total(),
            glued=glued,
            invented=invented,
            furniture=((given - self._may_be_said) & self._furniture).total(),
            common=len(found),
            in_order=_longest_rise(found),
        )

    def _strange(self, given: Counter[str]) -> tuple[int, int]:
        """Return the words that are not in the source: neighbouring words glued together, and invented ones.

        Numbers alone are neither: who made the file counted its pages and items.
        """
        glued = invented = 0
        for word, times in given.items():
            if word in self._types or word.isnumeric():
                continue
            if self._glue.holds(word):
                glued += times
            elif not all(token in self._types for token in tokens(word)):
                invented += times
        return glued, invented


class Glue:
    """Tells words that are neighbours run together."""

    def __init__(self, source: Sequence[str]) -> None:
        self._joined = "".join(source)
        self._begins = {0}
        at = 0
        for word in source:
            at += len(word)
            self._begins.add(at)

    def holds(self, word: str) -> bool:
        """Return whether the word joins two or more neighbouring words without their separators."""
        at = self._joined.find(word)
        while at >= 0:
            if at in self._begins and at + len(word) in self._begins:
                return True
            at = self._joined.find(word, at + 1)
        return False


def _once(of: Sequence[str]) -> dict[tuple[str, ...], int]:
    """Return the position of each run of tokens that occurs exactly once, in text order."""
    shingles = list(zip(*(of[at:] for at in range(SHINGLE)), strict=False))
    often = Counter(shingles)
    return {shingle: at for at, shingle in enumerate(shingles) if often[shingle] == 1}


def _longest_rise(numbers: Sequence[int]) -> int:
    ends: list[int] = []
    for number in numbers:
        at = bisect_left(ends, number)
        ends[at : at + 1] = [number]
    return len(ends)
