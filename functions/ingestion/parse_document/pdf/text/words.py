"""From the characters of a page to its words, each with its place; words that PDFium has glued come apart."""

import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise
from statistics import median_low
from typing import Protocol

from ingestion.parse_document.pdf.shapes import Box, Word


class Places(Protocol):
    """The places of the characters of a page."""

    def place(self, at: int) -> tuple[Box, float, tuple[float, float], int]:
        """Of a character of the text: its box, its size, the direction that it is written in, and its own number."""

    def origin(self, index: int) -> tuple[float, float]:
        """Return where the character of this number stands on its line."""

    def sides(self, index: int) -> tuple[float, float]:
        """Return where the character of this number begins and ends from left to right."""


# PDFium puts U+FFFE for a hyphen at the end of a line, and the next line right behind it.
_HYPHEN = "\ufffe"
_WORD = re.compile(rf"[^\s\x00-\x1f\x7f{_HYPHEN}]+{_HYPHEN}?")
_LATIN_RUN = re.compile(r"[A-Za-z\u00c0-\u024f.,;:()'\u2019-]{4,}")
_NOTE = re.compile(r"\d{1,3}(?=[^\W\d])")
_SMALLER = 0.85  # of the size: the number of a note, before its text
_LIGATURE = re.compile("[\ufb00-\ufb06]")
_LONGEST = 300  # characters; no line is longer
_GAP = 0.15  # of the size; the least space that TeX sets is a fifth
_LEAST_SPACE = 0.05  # of the size
_BACK = 0.4  # of the size: no letter is set so far into the one before it, but a cell into the one beside it
_SLANT = 0.18  # 10 degrees: no scanner sets a page so askew
_TINY = 0.1  # points: text of no size is not to be seen


def words_of(text: str, places: Places) -> list[Word]:
    """Return the words of a page's text; `places` tells where its characters stand."""
    found = list[Word]()
    for match in _WORD.finditer(text):
        for start, end in _parted(match, places):
            spaced = start == 0 or text[start - 1].isspace() or start > match.start()
            if word := _word(text[start:end], start, end, places, spaced):
                if start and text[start - 1] == " " and _is_taken_back(word, places):
                    word.spaced = False
                found.append(word)
    return found


def _is_taken_back(word: Word, places: Places) -> bool:
    """Return whether the space before a word was written, but the word set where it began."""
    begins, ends = places.sides(word.index - 1)
    upright = word.quarters == 0
    return upright and abs(word.box.left - begins) < _LEAST_SPACE * word.size < ends - begins


def _word(shown: str, start: int, end: int, places: Places, spaced: bool) -> Word | None:
    first, size, (across, up), index = places.place(start)
    last = first if end - start == 1 else places.place(end - 1)[0]
    quarters = _quarters(across, up)
    box = Box(
        min(first.left, last.left),
        min(first.bottom, last.bottom),
        max(first.right, last.right),
        max(first.top, last.top),
    ).turned(quarters)
    if box.height < _TINY or not all(abs(side) < 1e7 for side in box):
        return None
    x, y = places.origin(index)
    base = Box(x, y, x, y).turned(quarters).bottom
    slanted = min(abs(across), abs(up)) > _SLANT * max(abs(across), abs(up))
    return Word(_readable(shown), box, size if size >= 1 else box.height, quarters, index, base, spaced, slanted)


def _quarters(across: float, up: float) -> int:
    """Return how many quarter turns clockwise set text upright that is written in this direction."""
    if abs(across) >= abs(up):
        return 0 if across >= 0 else 2
    return 1 if up > 0 else 3


def _parted(match: re.Match[str], places: Places) -> Iterator[tuple[int, int]]:
    """Return the bounds of the words in a long one: gaps wider than those between its other letters."""
    start, end = match.span()
    note = _NOTE.match(match[0])
    if note and places.place(start)[1] < _SMALLER * places.place(start + note.end())[1]:
        yield start, start + note.end()
        start += note.end()
    if end - start > _LONGEST or not _LATIN_RUN.search(match.string, start, end):
        yield start, end
        return
    _, size, _, index = places.place(start)
    sides = [places.sides(index + number) for number in range(end - start)]
    # The letters of a ligature have one place.
    gaps = [after[0] - before[1] if after != before else 0 for before, after in pairwise(sides)]
    wide = max(0, median_low(gaps)) + _GAP * size
    cuts = [start + number for number, gap in enumerate(gaps, 1) if gap > wide or gap < -_BACK * size]
    yield from pairwise([start, *cuts, end])


def _readable(shown: str) -> str:
    """Valid characters: a hyphen for its stand-in, letters for ligatures."""
    valid = shown.replace(_HYPHEN, "-").replace("\uffff", "").replace("\xad", "-")
    return _LIGATURE.sub(lambda found: unicodedata.normalize("NFKC", found[0]), valid)
