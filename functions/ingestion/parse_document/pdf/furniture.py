"""Headers, footers and page numbers: what stands at the edge of page after page."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from ingestion.parse_document.pdf.shapes import Segment, Sheet, around
from ingestion.parse_document.pdf.tables.frames import is_in
from ingestion.parse_document.pdf.text.segments import rows_of

_ROWS = 3  # at the top and at the bottom of a page
_LONGEST = 150  # characters
_LONGEST_ROW = 8  # lines of a row of a table
_FAR = 2.5  # sizes from a line of a table to the next
_LEAST_PAGES = 3
_NEAR = 6  # pages before and after, in which a chapter's header comes again
_SHARE = 0.3  # of the pages: where furniture stands as often, other lines of that place are furniture too
_NUMBER = re.compile(r"\d+|\b[ivxlc]+\b")
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}

Row = list[Segment]
Key = tuple[str, int]


def without_furniture(sheets: Sequence[Sheet]) -> list[list[Segment]]:
    """Return the stretches of each page without its headers and footers.

    A line is furniture if it comes again in one place at the edge of pages near by, the page's number apart. Where most
    pages would be left with nothing, as slides that repeat one text, fewer lines are looked at, and at last none.
    """
    for depth in (_ROWS, 1):
        found = _without(sheets, [_edges(sheet, depth) for sheet in sheets])
        if 2 * sum(map(bool, found)) >= sum(bool(sheet.segments) for sheet in sheets):
            return found
    return [sheet.segments for sheet in sheets]


def _without(sheets: Sequence[Sheet], edges: Sequence[Sequence[Row]]) -> list[list[Segment]]:
    pages: dict[Key, list[int]] = {}
    for page, rows in enumerate(edges):
        for key in {key for row in rows for part in _parts(row) for key in _keys(part, page)}:
            pages.setdefault(key, []).append(page)
    repeated = [[row for row in rows if _repeats(row, page, pages)] for page, rows in enumerate(edges)]
    places = Counter(place for rows in repeated for place in {_place(row) for row in rows})
    usual = {place for place, count in places.items() if count >= max(_LEAST_PAGES, _SHARE * len(sheets))}
    found = []
    for sheet, rows, again in zip(sheets, edges, repeated, strict=True):
        dropped = {id(one) for row in (*again, *_in_places(rows, usual)) for one in row}
        found.append([one for one in sheet.segments if id(one) not in dropped])
    return found


def _edges(sheet: Sheet, depth: int) -> list[Row]:
    """Return the first and the last lines of a page, of those that are no longer than furniture is, and in no table."""
    rows = rows_of(sheet.segments)
    inner = rows[depth : len(rows) - depth]
    tables = [frame for frame in sheet.frames if any(is_in(row[0], frame) for row in inner)]
    outer = {*range(min(depth, len(rows))), *range(max(0, len(rows) - depth), len(rows))}
    return [
        rows[at]
        for at in sorted(outer)
        if len(_text(rows[at])) <= _LONGEST
        and not any(is_in(rows[at][0], table) for table in tables)
        and not _is_of_a_table(rows[at], rows[at + 1 : at + 1 + _LONGEST_ROW])
        and not _is_of_a_table(rows[at], rows[max(0, at - _LONGEST_ROW) : at][::-1])
    ]


def _is_of_a_table(row: Row, others: Sequence[Row]) -> bool:
    """Return whether a line of several stretches is a table's: one of the next lines has as many, under each.

    Between them may be other lines of a row, also of one that began on the page before.
    """
    last = row
    for line in others:
        if len(row) == 1 or abs(last[0].base - line[0].base) > _FAR * row[0].size:
            return False
        if len(line) == len(row) and all(_over(one, other) for one, other in zip(row, line, strict=True)):
            return True
        if not all(any(abs(one.box.left - name.box.left) <= 2 for name in row) for one in line):
            return False
        last = line
    return False


def _over(one: Segment, other: Segment) -> bool:
    return one.box.left < other.box.right and other.box.left < one.box.right


def _repeats(row: Row, page: int, pages: dict[Key, list[int]]) -> bool:
    keys = {key for part in _parts(row) for key in _keys(part, page)}
    return max(sum(abs(other - page) <= _NEAR for other in pages[key]) for key in keys) >= _LEAST_PAGES


def _parts(row: Row) -> Iterator[Row]:
    """Yield a line, and its stretches: of a header of two, one may be the chapter's and one the section's."""
    yield row
    if len(row) > 1:
        yield from ([one] for one in row)


def _in_places(rows: Sequence[Row], usual: set[tuple[int, float]]) -> Iterator[Row]:
    return (row for row in rows if _place(row) in usual)


def _place(row: Row) -> tuple[int, float]:
    """Return where a line stands, to 2 points, and its size."""
    return round(around([one.box for one in row]).bottom / 2), row[0].size


def _keys(row: Row, page: int) -> set[Key]:
    """Return the line as on any page: its text, also with its first or last number relative to the page's own."""
    text, height = _text(row), round(around([one.box for one in row]).bottom / 4)
    numbers = list(_NUMBER.finditer(text))
    ways = [text]
    for number in {0, len(numbers) - 1} if numbers else ():
        found = numbers[number]
        ways.append(f"{text[: found.start()]}#{_value(found[0]) - page}{text[found.end() :]}")
    return {(way, height) for way in ways}


def _value(number: str) -> int:
    if number.isdecimal():
        return int(number[:9])
    values = [_ROMAN[letter] for letter in number]
    return sum(-value if value < after else value for value, after in zip(values, [*values[1:], 0], strict=True))


def _text(row: Row) -> str:
    return " ".join(one.text for one in row)
