"""The sections of a document: the text under one heading, or in one table, within one page, slide or sheet."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby, pairwise, takewhile

from selfrag.domain.documents import Document, Part, Table, has_words
from selfrag.text.weight import SMALL, weigh

# So many rows are read with the text around them; more of them, or rows with a caption, are a section.
FEW_ROWS = 3


@dataclass(frozen=True)
class Section:
    """A stretch of the text, with headings up to `body`; `says` means that there are words below them.

    `path` are the headings above all of it, `table` is the table that it is a part of, `part` the page, slide or sheet.
    """

    start: int
    body: int
    end: int
    path: tuple[str, ...]
    says: bool
    table: Table | None
    part: Part | None


def sections_of(document: Document) -> list[Section]:
    """Return the sections in order; none is of headings alone, unless the document is.

    Headings with nothing below them join the text after them in their part, or else the text before them. If that is a
    table, or there is none, they are left out: they name the content of the next part.
    """
    found: list[Section] = []
    for section in _cut(document):
        if found and _belong_together(document.text, found[-1], section):
            found[-1] = _joined(document.text, found[-1], section)
        else:
            found.append(section)
    if not any(section.says for section in found):
        return found
    kept: list[Section] = []
    for section in found:
        if section.says:
            kept.append(section)
        elif kept and kept[-1].part == section.part and kept[-1].table is None:
            kept[-1] = replace(kept[-1], end=section.end)
    return kept


def _cut(document: Document) -> Iterator[Section]:
    """Yield all stretches between headings, parts and tables that hold a word."""
    text, tables = document.text, _alone(document)
    # If a reader repeats an earlier heading, several may begin at one place.
    headings = {start: list(found) for start, found in groupby(document.headings, key=lambda heading: heading.start)}
    edges = {0, len(text), *headings, *(part.start for part in document.parts)}
    edges.update(edge for table in tables for edge in (table.start, table.end))
    path: list[tuple[int, str]] = []
    for start, end in pairwise(sorted(edge for edge in edges if edge <= len(text))):
        begun = headings.get(start, [])
        for heading in begun:
            path = [above for above in path if above[0] < heading.level] + [(heading.level, heading.text)]
        if has_words(text[start:end]):
            body = min(begun[-1].end, end) if begun else start
            names = tuple(name for _, name in path)
            part, table = part_at(document, start), _table_at(tables, start)
            yield Section(start, body, end, names, has_words(text[body:end]), table, part)


def part_at(document: Document, start: int) -> Part | None:
    """Return the page, slide or sheet of a character."""
    after = bisect_right(document.parts, start, key=lambda part: part.start)
    return document.parts[after - 1] if after else None


def _alone(document: Document) -> list[Table]:
    """Return the tables that are sections of their own."""
    first = document.headings[0].start if document.headings else -1
    starts = [row.start for row in document.rows]
    return [
        table
        for table in document.tables
        if table.caption
        or bisect_left(starts, table.end) - bisect_left(starts, table.start) > FEW_ROWS
        or table.start <= first < table.end
    ]


def _table_at(tables: list[Table], start: int) -> Table | None:
    after = bisect_right(tables, start, key=lambda table: table.start)
    return tables[after - 1] if after and start < tables[after - 1].end else None


def _belong_together(text: str, held: Section, section: Section) -> bool:
    """Return whether to join: headings alone and the next text, two tiny sections, or a table and its lead-in."""
    if held.part != section.part or (held.table and held.says):
        return False
    if not held.says:
        return weigh(text[held.start : held.end]) < SMALL
    if section.table:
        return held.path == section.path and weigh(text[held.start : held.end]) < SMALL
    return section.says and weigh(text[held.start : section.end]) < SMALL


def _joined(text: str, first: Section, second: Section) -> Section:
    path = second.path
    if first.says or path[: len(first.path)] != first.path:
        shared = takewhile(lambda names: names[0] == names[1], zip(first.path, path, strict=False))
        path = tuple(name for name, _ in shared)
    # So many headings are a list, or lines mistaken for headings.
    says = first.says or second.says or weigh(text[first.start : second.end]) >= SMALL
    return Section(first.start, second.body, second.end, path, says, second.table, second.part)
