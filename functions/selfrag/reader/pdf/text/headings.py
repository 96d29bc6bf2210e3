"""Headings and their levels, by the size of their letters against that of most of the text."""

import re
from collections import Counter
from collections.abc import Iterable

from selfrag.domain.documents import has_words
from selfrag.domain.writing import MAX_HEADING
from selfrag.reader.pdf.text.paragraphs import PdfParagraph

_LARGER = 1.1
_MOST_LINES, _MOST_LEVELS = 4, 6
_MAX_BOLD = 100  # characters of a heading that is only bold
_ENDS = re.compile(r"[.!?:;,。！？：；、，]$")


class Levels:
    """The sizes of a document's letters, and what follows from them."""

    def __init__(self, paragraphs: Iterable[PdfParagraph]) -> None:
        lines, letters = list(paragraphs), Counter[float]()
        for paragraph in lines:
            letters[_size(paragraph)] += len(paragraph.text)
        self._body = max(letters, key=lambda size: letters[size], default=0.0)
        self._sizes = sorted({_size(paragraph) for paragraph in lines if self._is_large(paragraph)}, reverse=True)

    def level(self, paragraph: PdfParagraph) -> int:
        """Return the level of a heading, 1 is the highest; 0 for running text."""
        if self._is_large(paragraph):
            return min(self._sizes.index(_size(paragraph)) + 1, _MOST_LEVELS)
        short = len(paragraph.text) <= _MAX_BOLD and not _ENDS.search(paragraph.text)
        bold = paragraph.bold and paragraph.apart and paragraph.size >= 0.95 * self._body
        return min(len(self._sizes), _MOST_LEVELS) + 1 if bold and short and _could_be(paragraph) else 0

    def _is_large(self, paragraph: PdfParagraph) -> bool:
        return paragraph.size >= _LARGER * self._body and _could_be(paragraph)


def _size(paragraph: PdfParagraph) -> float:
    """Return the size to half a point: what differs by less is one."""
    return round(2 * paragraph.size) / 2


def _could_be(paragraph: PdfParagraph) -> bool:
    short = paragraph.lines <= _MOST_LINES and len(paragraph.text) <= MAX_HEADING
    return short and not paragraph.across and has_words(paragraph.text)
