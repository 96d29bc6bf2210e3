"""Headings and their levels, by the size of their letters against that of most of the text."""

import re
from collections import Counter
from collections.abc import Iterable

from ingestion.parse_document.pdf.text.paragraphs import Paragraph
from selfrag.domain.documents import has_words
from selfrag.domain.writing import MAX_HEADING

_LARGER = 1.1
_MOST_LINES, _MOST_LEVELS = 4, 6
_MAX_BOLD = 100  # characters of a heading that is only bold
_SAME = 0.04  # sizes that differ by less are one
_ENDS = re.compile(r"[.!?:;,。！？：；、，]$")


class Levels:
    """The sizes of a document's letters, and what follows from them."""

    def __init__(self, paragraphs: Iterable[Paragraph]) -> None:
        known = list(paragraphs)
        letters = Counter[float]()
        for one in known:
            letters[round(2 * one.size) / 2] += len(one.text)
        self._body = letters.most_common(1)[0][0] if letters else 0.0
        large = sorted({one.size for one in known if self._is_large(one)}, reverse=True)
        self._sizes = list[float]()
        for size in large:
            if not self._sizes or self._sizes[-1] > size * (1 + _SAME):
                self._sizes.append(size)

    def level(self, paragraph: Paragraph) -> int:
        """Return the level of a heading, 1 is the highest; 0 for running text."""
        if self._is_large(paragraph):
            above = sum(size > paragraph.size * (1 + _SAME) for size in self._sizes)
            return min(above + 1, _MOST_LEVELS)
        return min(len(self._sizes) + 1, _MOST_LEVELS + 1) if self._is_bold(paragraph) else 0

    def _is_large(self, paragraph: Paragraph) -> bool:
        return paragraph.size >= _LARGER * self._body and _could_be(paragraph)

    def _is_bold(self, paragraph: Paragraph) -> bool:
        return (
            paragraph.bold
            and paragraph.apart
            and paragraph.size >= 0.95 * self._body
            and len(paragraph.text) <= _MAX_BOLD
            and not _ENDS.search(paragraph.text)
            and _could_be(paragraph)
        )


def _could_be(paragraph: Paragraph) -> bool:
    return (
        not paragraph.across
        and paragraph.lines <= _MOST_LINES
        and len(paragraph.text) <= MAX_HEADING
        and has_words(paragraph.text)
    )
