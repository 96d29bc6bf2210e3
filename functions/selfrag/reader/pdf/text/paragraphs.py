"""Paragraphs and headings with levels from the lines of a column."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from selfrag.domain.documents import has_words
from selfrag.domain.writing import MAX_HEADING
from selfrag.reader.pdf.shapes import Box, PdfSegment, around
from selfrag.reader.pdf.text.segments import ENUMERATOR, NO_SPACES

_LEADING, _WIDEST = 0.75, 2.0  # of the size: more white space separates paragraphs
_MORE = 1.2  # times the usual white of a column, which may be wide
_INDENT = 1.2  # of the size
_BROAD = 20  # sizes: in a narrower column, line ends carry no information
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LAST, _FIRST = re.compile(rf"({_WORD.pattern})([-\u2010]?)$"), re.compile(r"[^\W\d_]+")
_JOINED = re.compile(r"\S[-\u2010/]$")
_MIN_HYPHENS, _SHARE = 3, 0.15  # of line-end hyphens: if more divide known words, all do
_MIN_VOCABULARY = 500  # minimum words of a document to judge that
_CONJUNCTIONS = ("und", "oder", "bzw", "bis", "sowie", "and", "or", "nor", "to", "et", "ou", "y", "o", "e")
# First parts of compounds. A short document divides no words if most of its hyphens at line ends follow one of these.
_COMPOUND = re.compile("cross|ex|full|half|high|log|long|low|multi|non|post|read|run|self|short|start|time|two|well")
# Real hyphens: after a code or "self", before a French pronoun.
_OWN_HYPHEN = re.compile(r"(?:[A-ZÄÖÜ]{2,}|(?i:self|non))-\w+|\w+-(?:t|vous|nous|moi|ils|elles?|mêmes?|ci|là|midi)\b")
_LONGEST = 100  # maximum characters of a word to look up
_HANGUL = re.compile("[\uac00-\ud7a3]")
# Hebrew and Arabic.
RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_ENDS = re.compile(r"[.!?:;。！？：；][)\"'”’」』）]*$")


@dataclass(slots=True)
class PdfParagraph:
    """Text of one style; `apart` if white space precedes it, `across` if it runs sideways."""

    text: str
    size: float
    bold: bool
    lines: int = 1
    apart: bool = False
    across: bool = False
    left: float = 0


class Words:
    """Vocabulary of a document, from its lines in reading order."""

    def __init__(self, lines: Iterable[str]) -> None:
        texts = list(lines)
        # The first and last words of a line may be cut off.
        self._vocabulary = {word.casefold() for text in texts for word in _WORD.findall(text)[1:-1]}
        over = [_word_over(before, after) for before, after in pairwise(texts)]
        ends = [(last, first) for last, hyphen, first in over if hyphen and first.islower()]
        divided = sum(self._has(last + first) for last, first in ends)
        compounds = sum(bool(_COMPOUND.fullmatch(last.casefold())) for last, _ in ends)
        few = len(ends) < _MIN_HYPHENS or len(self._vocabulary) < _MIN_VOCABULARY
        self._divides = divided >= _SHARE * len(ends) or (few and 2 * compounds < len(ends))

    def put_together(self, before: str, after: str, cell: bool = False) -> str:
        """Join two lines and remove a hyphen that only marks the line end.

        East Asian text is joined without a space, as are Korean words, and words too long for their `cell`.
        """
        last, hyphen, first = _word_over(before, after)
        whole = last + first
        cut = self._has(whole) and not (self._has(last) and self._has(first))
        if hyphen and first in _CONJUNCTIONS and not self._has(whole):
            return f"{before} {after}"
        if hyphen:
            own = _OWN_HYPHEN.fullmatch(f"{last}-{first}")
            divides = self._divides and (self._has(whole) or not self._has(last + hyphen + first))
            lower = not own and first.islower() and divides
            return (before[:-1] if lower or (whole.isupper() and cut) else before) + after
        in_one = _JOINED.search(before[-2:]) or (cut and (cell or _HANGUL.match(before[-1])))
        return before + ("" if in_one or (NO_SPACES.match(before[-1]) and NO_SPACES.match(after[0])) else " ") + after

    def _has(self, word: str) -> bool:
        return word.casefold() in self._vocabulary


def _word_over(before: str, after: str) -> tuple[str, str, str]:
    """Return the last word of a line, its hyphen and the next line's first word; "" for missing ones."""
    end, begin = _LAST.search(before[-_LONGEST:]), _FIRST.match(after)
    return (end[1], end[2], begin[0]) if end and begin else ("", "", "")


def joined_row(row: Sequence[PdfSegment]) -> PdfSegment:
    """Join the segments of a line."""
    longest = max(row, key=lambda segment: len(segment.text))
    if 2 * sum(len(RIGHT_TO_LEFT.findall(segment.text)) for segment in row) > sum(len(segment.text) for segment in row):
        row = sorted(row, key=lambda segment: -segment.box.right)
    text, box = " ".join(segment.text for segment in row), around([segment.box for segment in row])
    return PdfSegment(text, box, longest.size, longest.base, all(segment.bold for segment in row), longest.fixed)


def paragraphs_of(lines: Sequence[PdfSegment], words: Words) -> list[PdfParagraph]:
    """Return the paragraphs of a column."""
    paragraphs, last = list[PdfParagraph](), None
    for line in lines:
        if last is None or _differ(last, line):
            alike = [segment for segment in lines if not _differ(segment, line)]
            column, usual = around([segment.box for segment in alike]), _usual_white(alike)
        white = last.box.bottom - line.box.top if last else 0
        if last and white <= max(_LEADING, usual) * line.size and _goes_on(paragraphs[-1], last, line, column):
            held = paragraphs[-1]
            held.text, held.lines = words.put_together(held.text, line.text), held.lines + 1
            held.bold = held.bold and line.bold
        else:
            apart = last is None or white > 0.5 * _LEADING * line.size or _differ(last, line)
            paragraphs.append(PdfParagraph(line.text, line.size, line.bold, apart=apart, left=line.box.left))
        last = line
    return paragraphs


def _usual_white(lines: Sequence[PdfSegment]) -> float:
    """Return the usual line spacing in sizes, with some tolerance; 0 if very wide."""
    white = [(above.box.bottom - line.box.top) / line.size for above, line in pairwise(lines)]
    usual = _MORE * median(white) if white else 0
    return usual if usual <= _WIDEST else 0


def _goes_on(held: PdfParagraph, last: PdfSegment, line: PdfSegment, column: Box) -> bool:
    first = line.text.split(maxsplit=1)[0]
    entry = ENUMERATOR.fullmatch(first) and len(first) < len(line.text)
    if _differ(last, line) or (last.fixed and line.fixed) or entry:
        return False
    if line.box.left - last.box.left > _INDENT * line.size and not (held.lines == 1 and ENUMERATOR.match(held.text)):
        return False
    if line.text[0].islower() and not _ENDS.search(last.text):
        return True
    needed = line.box.width * len(first) / len(line.text) + 0.25 * line.size
    return column.width >= _BROAD * line.size and last.box.right + needed > column.right - 0.5 * line.size


def _differ(last: PdfSegment, line: PdfSegment) -> bool:
    return abs(last.size - line.size) > 0.12 * max(last.size, line.size)


_LARGER = 1.1
_MAX_LINES, _MAX_LEVELS = 4, 6
_MAX_BOLD = 100  # maximum characters of a heading that is only bold
_END_OF_TEXT = re.compile(r"[.!?:;,。！？：；、，]$")


class Levels:
    """Font sizes of a document and the heading levels derived from them."""

    def __init__(self, paragraphs: Iterable[PdfParagraph]) -> None:
        lines, letters = list(paragraphs), Counter[float]()
        for paragraph in lines:
            letters[_size(paragraph)] += len(paragraph.text)
        self._body = max(letters, key=lambda size: letters[size], default=0.0)
        self._sizes = sorted({_size(paragraph) for paragraph in lines if self._is_large(paragraph)}, reverse=True)

    def level(self, paragraph: PdfParagraph) -> int:
        """Return a heading's level from 1, or 0 for running text."""
        if self._is_large(paragraph):
            return min(self._sizes.index(_size(paragraph)) + 1, _MAX_LEVELS)
        short = len(paragraph.text) <= _MAX_BOLD and not _END_OF_TEXT.search(paragraph.text)
        bold = paragraph.bold and paragraph.apart and paragraph.size >= 0.95 * self._body
        return min(len(self._sizes), _MAX_LEVELS) + 1 if bold and short and _could_be(paragraph) else 0

    def _is_large(self, paragraph: PdfParagraph) -> bool:
        return paragraph.size >= _LARGER * self._body and _could_be(paragraph)


def _size(paragraph: PdfParagraph) -> float:
    """Round a size to half a point."""
    return round(2 * paragraph.size) / 2


def _could_be(paragraph: PdfParagraph) -> bool:
    short = paragraph.lines <= _MAX_LINES and len(paragraph.text) <= MAX_HEADING
    return short and not paragraph.across and has_words(paragraph.text)
