"""From the characters of a page to its words, each with its place; words that PDFium has glued come apart."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median_low

from selfrag.reader.pdf.pdfium import Page
from selfrag.reader.pdf.shapes import Word, around

# PDFium puts U+FFFE for a hyphen at the end of a line, and the next line right behind it.
_HYPHEN = "\ufffe"
_WORD = re.compile(rf"[^\s\x00-\x1f\x7f{_HYPHEN}]+{_HYPHEN}?")
_LATIN_RUN = re.compile(r"[A-Za-z\u00c0-\u024f.,;:()'\u2019-]{4,}")
_NOTE = re.compile(r"\d{1,3}(?=[^\W\d])")
_SMALLER = 0.85  # of the size: the number of a note, before its text
_LIGATURE = re.compile("[\ufb00-\ufb06]")
_LONGEST = 300  # characters; no line is longer
_GAP = 0.15  # of the size; the least space that TeX sets is a fifth
_BACK = 0.4  # of the size: no letter is set so far into the one before it, but a cell into the one beside it
_TINY = 0.1  # points: text of no size is not to be seen
# Of a watermark: so large as the page's largest letters, and of so many words at most.
_AS_LARGE, _MOST_WORDS = 0.95, 20


def words_of(page: Page) -> list[Word]:
    """Return the words of a page in the order of the file, those of watermarks left out."""
    text, found = page.text(), list[Word]()
    for match in _WORD.finditer(text):
        for start, end in _parted(match, page):
            if word := _word(text[start:end], start, end, page):
                before = text[start - 1 : start]
                word.spaced = not before or before.isspace() or start > match.start()
                found.append(word)
    return _without_watermarks(found, page)


def _without_watermarks(words: list[Word], page: Page) -> list[Word]:
    """Return the words but for those at a slant, if few are, and for pale ones over the text, larger than all of it."""
    level = [word for word in words if not word.slanted]
    if 2 * len(level) < len(words):
        return words
    least = _AS_LARGE * max((word.size for word in level), default=0)
    large = [word for word in level if word.size >= least]
    if len(large) > _MOST_WORDS:
        return level
    text = [word for word in level if word.size < least]
    marks = [word for word in large if any(_is_over(word, one) for one in text) and page.is_pale(word.index)]
    return [word for word in level if word not in marks] if marks else level


def _is_over(word: Word, other: Word) -> bool:
    """Return whether the middle of the other word is in this one's box."""
    x, y = (other.box.left + other.box.right) / 2, other.box.middle
    return word.box.left < x < word.box.right and word.box.bottom < y < word.box.top


def _word(shown: str, start: int, end: int, page: Page) -> Word | None:
    first = page.character(start)
    size, quarters = first.size, first.quarters
    box = around([first.box, page.character(end - 1).box]).turned(quarters)
    if box.height < _TINY or not all(abs(side) < 1e7 for side in box):
        return None
    base = page.origin(first.number).turned(quarters).bottom
    size = size if size >= 1 else box.height
    return Word(_readable(shown), box, size, quarters, first.number, base, slanted=first.slanted)


def _parted(match: re.Match[str], page: Page) -> Iterator[tuple[int, int]]:
    """Return the bounds of the words in a long one: gaps wider than those between its other letters."""
    start, end = match.span()
    note = _NOTE.match(match[0])
    if note and page.character(start).size < _SMALLER * page.character(start + note.end()).size:
        yield start, start + note.end()
        start += note.end()
    cuts: Sequence[int] = ()
    if end - start <= _LONGEST and _LATIN_RUN.search(match.string, start, end):
        first = page.character(start)
        boxes = [page.box(first.number + number).turned(first.quarters) for number in range(end - start)]
        # The letters of a ligature have one place.
        gaps = [after.left - one.right if after != one else 0 for one, after in pairwise(boxes)]
        wide = max(0, median_low(gaps)) + _GAP * first.size
        cuts = [start + number for number, gap in enumerate(gaps, 1) if gap > wide or gap < -_BACK * first.size]
    yield from pairwise([start, *cuts, end])


def _readable(shown: str) -> str:
    """Valid characters: a hyphen for its stand-in, letters for ligatures."""
    valid = shown.replace(_HYPHEN, "-").replace("\uffff", "").replace("\xad", "-")
    return _LIGATURE.sub(lambda found: unicodedata.normalize("NFKC", found[0]), valid)
