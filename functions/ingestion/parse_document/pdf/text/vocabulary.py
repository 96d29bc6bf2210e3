"""The words of a document, and how the ends of its lines treat them."""

import re
from collections.abc import Iterable
from itertools import pairwise

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LAST = re.compile(r"[^\W\d_]+$")
_HYPHENED = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*[-\u2010]$")
_FIRST = re.compile(r"[^\W\d_]+")
_LONGEST = 100  # characters of a word that is looked up
_LEAST_PART = 4
_LEAST, _SHARE = 3, 0.15  # of the hyphens at ends of lines: where so many divide known words, others divide words, too


def word_over_lines(before: str, after: str, hyphened: bool = True) -> tuple[str, str] | None:
    """The last word of a line, with the hyphen at its end or without one, and the first of the next; None if none."""
    end, begin = (_HYPHENED if hyphened else _LAST).search(before[-_LONGEST:]), _FIRST.match(after)
    return (end[0], begin[0]) if end and begin else None


class Vocabulary:
    """The words of a document by its lines, which are given in the order of reading."""

    def __init__(self, lines: Iterable[str]) -> None:
        texts = list(lines)
        # Neither the first word of a line nor the last: the end of a line may have cut them.
        self._words = {word.casefold() for text in texts for word in _WORD.findall(text)[1:-1]}
        over = (word_over_lines(one, next_one) for one, next_one in pairwise(texts))
        ends = [(end, begin) for end, begin in filter(None, over) if begin.islower()]
        divided = sum(self.knows(end[:-1] + begin) for end, begin in ends)
        self._divides = len(ends) < _LEAST or divided >= _SHARE * len(ends)

    def knows(self, word: str) -> bool:
        """Return whether the word stands within a line."""
        return word.casefold() in self._words

    def keeps_hyphen(self, end: str, begin: str) -> bool:
        """Return whether the hyphen at the end of a line is the word's own: the document has it, or divides none."""
        if not begin[0].islower():
            return not ((end + begin).isupper() and self.is_cut(end[:-1], begin))
        if not self._divides:
            return True
        if self.knows(end[:-1] + begin):
            return False
        parts = (end[:-1], begin)
        return self.knows(end + begin) or all(len(part) >= _LEAST_PART and self.knows(part) for part in parts)

    def is_cut(self, end: str, begin: str) -> bool:
        """Return whether two pieces are a word too long for its cell: they are known as one, and not both alone."""
        return self.knows(end + begin) and not (self.knows(end) and self.knows(begin))
