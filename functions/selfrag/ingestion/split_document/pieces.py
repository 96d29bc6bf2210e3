"""Pieces of a document: verbatim slices of its text, small enough to embed whole, each about one thing."""

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from selfrag.domain.documents import Document, Piece, Row, has_words
from selfrag.ingestion.split_document.chunks import Stretch, runs
from selfrag.ingestion.split_document.sections import Section, sections_of
from selfrag.text.sentences import split_sentences
from selfrag.text.weight import CAPACITY, SMALL, weigh

MAX_TITLE = 200
# The most characters of the row that a piece continues, in its title.
_MAX_SUBJECT = 80
_SEEN = re.compile(r"\S")


def split(document: Document) -> list[Piece]:
    """Cut a document into pieces, in order; none runs on from one page, slide or sheet into the next.

    They hold all of its words, except headings with nothing below them in their part and no text before them there. A
    row is in one piece if it fits; else the titles of the further pieces say how the row begins.
    """
    pieces = []
    for section in sections_of(document):
        names, heading = _names(document, section), section.path[-1] if section.path else ""
        page, locator = (section.part.page, section.part.name) if section.part else (None, "")
        for start, end in _slices(document, section):
            if has_words(found := document.text[start:end].strip()):
                begins = end - len(document.text[start:end].lstrip())
                rows = _rows(document, begins, begins + len(found))
                title = _title([*names, *_gone_on_with(document, rows, begins)])
                within = tuple(row for each in rows for row in _cited(document.text, each, begins, begins + len(found)))
                pieces.append(Piece(found, title, heading, page, locator, within))
    return pieces


def _names(document: Document, section: Section) -> list[str]:
    """Return the headings above a section, or the document's title, and the caption of its table."""
    table, first = section.table, document.headings[0].start if document.headings else None
    under_none = not section.path or (table is not None and first is not None and table.start <= first)
    return [
        *([document.title] if under_none else []),
        *section.path,
        *([table.caption] if table and table.caption else []),
    ]


def _title(names: list[str]) -> str:
    """Return the names joined, the nearest last; if they are too long, the farthest are dropped."""
    while len(names) > 1 and len(" > ".join(names)) > MAX_TITLE:
        names = names[1:]
    return " > ".join(names)[:MAX_TITLE]


def _slices(document: Document, section: Section) -> list[Stretch]:
    """Return the consecutive slices of a section; its headings stay with the first."""
    text = document.text
    if weigh(text[section.start : section.end].strip()) <= CAPACITY:
        return [(section.start, section.end)]
    # The empty line below a heading stays with it: it could become a slice of its own otherwise, with the heading.
    body = section.end - len(text[section.body : section.end].lstrip())
    room = CAPACITY - weigh(text[section.start : body])
    if room < CAPACITY // 2:
        body, room = section.start, CAPACITY
    rows = _rows(document, body, section.end)
    slices: list[Stretch] = []
    for run in runs(text, body, section.end, rows, room):
        slices += _packed(text, slices[-1][1] if slices else section.start, run)
    return slices


def _packed(text: str, start: int, found: Sequence[Stretch]) -> list[Stretch]:
    """Return a run in slices of about one size: a last one of a few words would match the wrong queries."""
    weights = [weigh(text[begins:ends]) for begins, ends in found]
    held = weigh(text[start : found[0][0]])
    total = held + sum(weights)
    even = min(CAPACITY, math.ceil(1.2 * total / math.ceil(total / CAPACITY)))
    slices: list[Stretch] = []
    for (begins, _), weight in zip(found, weights, strict=True):
        if begins > start and held + weight > (CAPACITY if held < SMALL else even):
            slices.append((start, begins))
            start, held = begins, 0
        held += weight
    end = found[-1][1]
    if slices and held < SMALL and weigh(text[slices[-1][0] : end].rstrip()) <= CAPACITY:
        start = slices.pop()[0]
    return [*slices, (start, end)]


def _rows(document: Document, begins: int, ends: int) -> list[Row]:
    """Return the rows that overlap the text between two characters."""
    first = bisect_right(document.rows, begins, key=lambda row: row.end)
    return list(document.rows[first : bisect_left(document.rows, ends, key=lambda row: row.start)])


def _gone_on_with(document: Document, rows: Sequence[Row], begins: int) -> list[str]:
    """Return the beginning of the row that a piece continues, if any: its first value, or the term it defines."""
    if not rows or rows[0].start >= begins:
        return []
    start, end = rows[0].start, min(rows[0].end, rows[0].start + _MAX_SUBJECT + len("; "))
    beginning = document.text[start:end].partition("; ")[0]  # not all of the row: each of its pieces looks at it
    return [beginning if len(beginning) <= _MAX_SUBJECT else beginning.partition(": ")[0][:_MAX_SUBJECT]]


def _cited(text: str, row: Row, begins: int, ends: int) -> Iterator[Row]:
    """Yield the parts of a row in a piece, counted from the piece's beginning: all of it, or else its sentences."""
    start, end = max(row.start, begins), min(row.end, ends)
    whole = not _SEEN.search(text, row.start, start) and not _SEEN.search(text, end, row.end)
    for stretch in [text[start:end]] if whole else split_sentences(text[start:end]):
        words = stretch.strip()
        at = start - begins + len(stretch) - len(stretch.lstrip())
        if words and (whole or row.name):
            yield Row(at, at + len(words), row.name)
        start += len(stretch)
