"""Headers, footers and page numbers, which stand at the edge of page after page, and tables of contents."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from selfrag.reader.pdf.shapes import PdfSegment, PdfSheet, around
from selfrag.reader.pdf.tables.frames import is_in
from selfrag.reader.pdf.text.segments import rows_of

_ROWS = 3  # at the top and at the bottom of a page
_LONGEST = 150  # characters
_LONGEST_ROW = 8  # lines of a row of a table
_FAR = 2.5  # sizes from a line of a table to the next
_LEAST_PAGES = 3
_NEAR = 6  # pages before and after, in which a chapter's header comes again
_NUMBER = re.compile(r"\d+|\b[ivxlc]+\b")
_LEADS = re.compile(r"(\S)(?<!\1\1)(?<!\1\s\1)(?:\s?\1){4,}+\s*+(?:\d+|[ivxlc]+)$")
_ENDS_IN_A_PAGE = re.compile(r"\s(?:\d+|[ivxlc]+)$")
_LEAST_ENTRIES, _LONGEST_ENTRY = 3, 300  # lines, and characters at the end of one
_SHARE = 0.3  # of the lines of a page, from which on its other entries are taken for contents as well

Row = list[PdfSegment]
Key = tuple[str, int]


def without_furniture(sheets: Sequence[PdfSheet]) -> list[list[PdfSegment]]:
    """Return the stretches of each page without its headers and footers.

    A line is furniture if it comes again in one place at the edge of pages near by, its numbers apart. Where most pages
    would be left with nothing, as slides that repeat one text, all is kept.
    """
    edges, pages = [_edges(sheet) for sheet in sheets], dict[Key, list[int]]()
    for page, rows in enumerate(edges):
        for key in {key for row in rows for key in _keys(row)}:
            pages.setdefault(key, []).append(page)
    remaining = []
    for page, (sheet, rows) in enumerate(zip(sheets, edges, strict=True)):
        dropped = {id(segment) for row in rows if _repeats(row, page, pages) for segment in row}
        remaining.append([segment for segment in sheet.segments if id(segment) not in dropped])
    most_remain = 2 * sum(map(bool, remaining)) >= sum(bool(sheet.segments) for sheet in sheets)
    return remaining if most_remain else [sheet.segments for sheet in sheets]


def without_contents(segments: Sequence[PdfSegment]) -> list[PdfSegment]:
    """Return the stretches of a page without a table of contents: three lines or more that lead by dots to a page."""
    rows = rows_of(segments)
    leads = [bool(_LEADS.search(_text(row)[-_LONGEST_ENTRY:])) for row in rows]
    if sum(leads) < min(_LEAST_ENTRIES, len(rows)):
        return list(segments)
    page_of_them = sum(leads) >= _SHARE * len(rows)
    dropped = {
        id(segment)
        for row, lead in zip(rows, leads, strict=True)
        if lead or (page_of_them and _ENDS_IN_A_PAGE.search(_text(row)))
        for segment in row
    }
    return [segment for segment in segments if id(segment) not in dropped]


def _edges(sheet: PdfSheet) -> list[Row]:
    """Return the first and the last lines of a page, of those that are no longer than furniture is, and in no table."""
    rows = rows_of(sheet.segments)
    tables = [frame for frame in sheet.frames if any(is_in(row[0], frame) for row in rows[_ROWS:-_ROWS])]
    return [
        row
        for at, row in enumerate(rows)
        if not _ROWS <= at < len(rows) - _ROWS
        and len(_text(row)) <= _LONGEST
        and not any(is_in(row[0], table) for table in tables)
        and not _is_of_a_table(row, rows[at + 1 : at + 1 + _LONGEST_ROW])
        and not _is_of_a_table(row, rows[max(0, at - _LONGEST_ROW) : at][::-1])
    ]


def _is_of_a_table(row: Row, others: Sequence[Row]) -> bool:
    """Return whether a line of several stretches is a table's: one of the next lines has as many, under each."""
    far = [abs(above[0].base - line[0].base) > _FAR * row[0].size for above, line in pairwise([row, *others])]
    near = others[: far.index(True)] if True in far else others
    alike = (line for line in near if len(line) == len(row) > 1)
    return any(all(_over(segment, other) for segment, other in zip(row, line, strict=True)) for line in alike)


def _over(segment: PdfSegment, other: PdfSegment) -> bool:
    return segment.box.left < other.box.right and other.box.left < segment.box.right


def _repeats(row: Row, page: int, pages: dict[Key, list[int]]) -> bool:
    return any(sum(abs(other - page) <= _NEAR for other in pages[key]) >= _LEAST_PAGES for key in _keys(row))


def _keys(row: Row) -> Iterator[Key]:
    """Yield a line without its numbers, and its stretches: of a header of two, one may be the chapter's."""
    for part in [row, *([segment] for segment in row if len(row) > 1)]:
        yield _NUMBER.sub("#", _text(part)), round(around([segment.box for segment in part]).bottom / 4)


def _text(row: Row) -> str:
    return " ".join(segment.text for segment in row)
