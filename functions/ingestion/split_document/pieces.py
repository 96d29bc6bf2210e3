"""A Document in pieces: each a verbatim slice of its text, small enough to be embedded whole, under one heading."""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, takewhile

from semantic_text_splitter import TextSplitter

from selfrag.domain.documents import Document, Part, Piece, Row, has_words
from selfrag.text.east_asian import RUN

# English of this weight has about 230 tokens of multilingual-e5, which reads 512 at a time.
CAPACITY = 900
# Sections are kept apart, except neighbours that weigh less than this together.
SMALL = 250
# The splitter needs time with the square of a text without line ends, so it gets this many characters at a time.
BLOCK = 10_000
MAX_TITLE = 200


@dataclass(frozen=True)
class _Section:
    """A heading, which ends at `body`, and what stands below it; `says` tells whether that holds words."""

    start: int
    body: int
    end: int
    path: tuple[str, ...]
    says: bool


def split(document: Document) -> list[Piece]:
    """Cut a document into pieces, in order; they hold all of its words, and each holds some."""
    text = document.text
    pieces = []
    for section in _parts(document):
        title = " > ".join(section.path)[:MAX_TITLE] or document.title
        for start, end in _slices(text, section):
            if has_words(found := text[start:end].strip()):
                begins = end - len(text[start:end].lstrip())
                part = _part_at(document, begins)
                heading = section.path[-1] if section.path else ""
                rows = _rows_within(document, begins, begins + len(found))
                pieces.append(Piece(found, title, heading, part and part.page, part.name if part else "", rows))
    return pieces


def _parts(document: Document) -> Iterator[_Section]:
    if document.tables:
        return _lines(document)
    return _pages(document) if document.parts else _joined(document.text, _sections(document))


def _part_at(document: Document, begins: int) -> Part | None:
    """The page, slide or sheet in which a piece begins."""
    at = bisect_right(document.parts, begins, key=lambda part: part.start)
    return document.parts[at - 1] if at else None


def _rows_within(document: Document, begins: int, ends: int) -> tuple[Row, ...]:
    """The rows that stand whole in a piece, counted from its beginning."""
    first = bisect_left(document.rows, begins, key=lambda row: row.start)
    inside = takewhile(lambda row: row.end <= ends, document.rows[first:])
    return tuple(Row(row.start - begins, row.end - begins, row.name) for row in inside)


def _pages(document: Document) -> Iterator[_Section]:
    """Page by page: a passage of two pages would be cited as being on the first."""
    for start, end in pairwise([0, *(part.start for part in document.parts[1:]), len(document.text)]):
        yield _Section(start, start, end, (), has_words(document.text[start:end]))


def _lines(document: Document) -> Iterator[_Section]:
    """Consecutive rows of a table that fit into one piece; a row that does not is on its own."""
    columns = tuple(heading.text for heading in document.headings)
    path = (document.title, *columns)
    start = end = weight = 0
    for line in document.text.splitlines(keepends=True):
        if end > start and weight + _weight(line) > CAPACITY:
            yield _Section(start, start, end, path, True)
            start, weight = end, 0
        end += len(line)
        weight += _weight(line)
    yield _Section(start, start, end, path, True)


def _sections(document: Document) -> Iterator[_Section]:
    text, path = document.text, list[tuple[int, str]]()
    starts = [heading.start for heading in document.headings] + [len(text)]
    yield _Section(0, 0, starts[0], (), has_words(text[: starts[0]]))
    for heading, (start, end) in zip(document.headings, pairwise(starts), strict=True):
        path = [above for above in path if above[0] < heading.level] + [(heading.level, heading.text)]
        names = tuple(name for _, name in path)
        yield _Section(start, heading.end, end, names, has_words(text[heading.end : end]))


def _joined(text: str, sections: Iterator[_Section]) -> Iterator[_Section]:
    """Join a heading with nothing below it to what follows, and tiny sections to each other."""
    held = next(sections)
    for section in sections:
        size = _weight(text[held.start : section.end if held.says else held.end])
        if size < SMALL and (section.says or not held.says):
            held = _join(held, section)
        else:
            yield held
            held = section
    yield held


def _join(first: _Section, second: _Section) -> _Section:
    path = second.path
    if first.says or path[: len(first.path)] != first.path:
        shared = takewhile(lambda names: names[0] == names[1], zip(first.path, path, strict=False))
        path = tuple(name for name, _ in shared)
    return _Section(first.start, second.body, second.end, path, first.says or second.says)


def _slices(text: str, section: _Section) -> Iterator[tuple[int, int]]:
    """Where consecutive slices of a section start and end; its heading stays with the first."""
    start, whole = section.start, text[section.start : section.end]
    if _weight(whole.strip()) <= CAPACITY:
        yield section.start, section.end
        return
    # The empty line below a heading goes with it: otherwise it could become a slice of its own, with the heading.
    end = section.end - len(text[section.body : section.end].lstrip())
    capacity = CAPACITY - _weight(text[start:end])
    if capacity < CAPACITY // 2:
        end, capacity = start, CAPACITY
    while end < section.end:
        block = text[end : min(end + BLOCK, section.end)]
        chunks = _chunks(block, capacity)
        if end + len(block) < section.end:
            chunks.pop()  # the block's end may have cut it short: it begins the next one
        for chunk in chunks:
            end += len(chunk)
            yield start, end
            start = end


def _chunks(block: str, capacity: int) -> list[str]:
    weight = _weight(block)
    # Pieces of about one size: a last one of a few words would be found for the wrong reasons.
    even = math.ceil(1.2 * weight / math.ceil(weight / capacity))
    # Not MarkdownSplitter: in a long paragraph it cuts at a quotation mark or an apostrophe, not between sentences.
    return TextSplitter.from_callback(_weight, min(capacity, even), trim=False).chunks(block)


def _weight(text: str) -> int:
    """The size of a text in Latin letters: an East Asian character takes as many tokens as two and a half of them."""
    return len(text) if text.isascii() else len(text) + 3 * sum(map(len, RUN.findall(text))) // 2
