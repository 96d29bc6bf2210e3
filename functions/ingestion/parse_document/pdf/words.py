"""From the characters of a page to its words, each with its place; words that PDFium has glued come apart."""

import re
import unicodedata
from collections.abc import Callable, Iterator
from itertools import pairwise
from statistics import median

from ingestion.parse_document.pdf.shapes import Box, Word

Place = Callable[[int], tuple[Box, float, tuple[float, float], int]]
# PDFium puts U+FFFE for a hyphen at the end of a line, and the next line right behind it.
_HYPHEN = "\ufffe"
_WORD = re.compile(rf"[^\s\x00-\x1f\x7f{_HYPHEN}]+{_HYPHEN}?")
_LATIN_RUN = re.compile(r"[A-Za-z\u00c0-\u024f.,;:()'\u2019-]{16,}")
_LIGATURE = re.compile("[\ufb00-\ufb06]")
_LONGEST = 300  # characters; no line is longer
_TINY = 0.1  # points: text of no size is not to be seen


def words_of(text: str, place: Place) -> list[Word]:
    """The words of a page's text; `place` tells of a character where it stands."""
    found = list[Word]()
    for match in _WORD.finditer(text):
        for start, end in _parted(match, place):
            spaced = start == 0 or text[start - 1].isspace() or start > match.start()
            if word := _word(text[start:end], start, end, place, spaced):
                found.append(word)
    return found


def _word(shown: str, start: int, end: int, place: Place, spaced: bool) -> Word | None:
    first, size, (across, up), index = place(start)
    last = first if end - start == 1 else place(end - 1)[0]
    quarters = _quarters(across, up)
    box = Box(
        min(first.left, last.left),
        min(first.bottom, last.bottom),
        max(first.right, last.right),
        max(first.top, last.top),
    ).turned(quarters)
    if box.height < _TINY or not all(abs(side) < 1e7 for side in box):
        return None
    return Word(_readable(shown), box, size if size >= 1 else box.height, quarters, index, spaced)


def _quarters(across: float, up: float) -> int:
    """How many quarter turns clockwise set text upright that is written in this direction."""
    if abs(across) >= abs(up):
        return 0 if across >= 0 else 2
    return 1 if up > 0 else 3


def _parted(match: re.Match[str], place: Place) -> Iterator[tuple[int, int]]:
    """Where the words in a very long one begin and end: at gaps that are wider than those between its other letters."""
    if len(match[0]) > _LONGEST or not _LATIN_RUN.search(match[0]):
        yield match.span()
        return
    places = [place(at) for at in range(*match.span())]
    gaps = [after[0].left - before[0].right for before, after in pairwise(places)]
    wide = median(gaps) + 0.12 * places[0][1]
    cuts = [match.start() + number for number, gap in enumerate(gaps, 1) if gap > wide]
    yield from pairwise([match.start(), *cuts, match.end()])


def _readable(shown: str) -> str:
    """Valid characters: a hyphen for its stand-in, letters for ligatures."""
    valid = shown.replace(_HYPHEN, "-").replace("\uffff", "").replace("\xad", "-")
    return _LIGATURE.sub(lambda found: unicodedata.normalize("NFKC", found[0]), valid)
