"""What a reader kept of a known text: words lost, invented and glued, and their order."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tests.bench.documents.measures.tokens import tokens, words

# So many tokens together stand once in most texts, so they say where a stretch of it went.
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


def kept(known: str, furniture: str, read: str) -> Kept:
    """Compare a reader's text with what is known."""
    of_known, of_read = tokens(known), tokens(read)
    missing = Counter(of_known) - Counter(of_read)
    strange = _strange(known, furniture, read)
    common, in_order = order(of_known, of_read)
    return Kept(
        len(of_known), missing.total(), len(words(read)), *strange, _furniture(known, furniture, read), common, in_order
    )


def _strange(known: str, furniture: str, read: str) -> tuple[int, int]:
    """Words that stand nowhere in the source: those that are neighbours of it glued, and those that are invented.

    Numbers alone are neither: who made the file counted its pages and items.
    """
    source = words(known) + words(furniture)
    types = set(source) | set(tokens(known + "\n" + furniture))
    glue = Glue(source)
    glued = invented = 0
    for word in words(read):
        if word in types or word.isnumeric():
            continue
        if glue.holds(word):
            glued += 1
        elif not all(token in types for token in tokens(word)):
            invented += 1
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
        """Whether the word is two or more neighbouring words without what was between them."""
        at = self._joined.find(word)
        while at >= 0:
            if at in self._begins and at + len(word) in self._begins:
                return True
            at = self._joined.find(word, at + 1)
        return False


def _furniture(known: str, furniture: str, read: str) -> int:
    """How many words of navigation the reader gave that are no words of the text, or stand in it less often."""
    more = Counter(words(read)) - Counter(words(known))
    return (more & Counter(words(furniture))).total()


def order(known: Sequence[str], read: Sequence[str]) -> tuple[int, int]:
    """How many stretches of SHINGLE tokens stand once in both, and the most of them that stand in the same order."""
    places = _once(read)
    found = [places[shingle] for shingle in _once(known) if shingle in places]
    return len(found), _longest_rise(found)


def _once(of: Sequence[str]) -> dict[tuple[str, ...], int]:
    shingles = [tuple(of[at : at + SHINGLE]) for at in range(len(of) - SHINGLE + 1)]
    often = Counter(shingles)
    return {shingle: at for at, shingle in enumerate(shingles) if often[shingle] == 1}


def _longest_rise(numbers: Sequence[int]) -> int:
    ends: list[int] = []
    for number in numbers:
        at = bisect_left(ends, number)
        ends[at : at + 1] = [number]
    return len(ends)
