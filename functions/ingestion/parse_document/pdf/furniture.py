"""Headers, footers and page numbers: what stands at the edge of page after page."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from ingestion.parse_document.pdf.segments import rows_of
from ingestion.parse_document.pdf.shapes import Segment, Sheet, around

_ROWS = 3  # at the top and at the bottom of a page
_LONGEST = 150  # characters
_LEAST_PAGES = 3
_NEAR = 6  # pages before and after, in which a chapter's header comes again
_SHARE = 0.3  # of the pages: where furniture stands as often, other lines of that place are furniture too
_NUMBER = re.compile(r"\d+|\b[ivxlc]+\b")
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}

Row = list[Segment]
Key = tuple[str, int]


def without_furniture(sheets: Sequence[Sheet]) -> list[list[Segment]]:
    """The stretches of each page without its headers and footers.

    A line is furniture if it comes again in one place at the edge of pages near by, the page's number apart. Where most
    pages would be left with nothing, as slides that repeat one line, it is what they say.
    """
    edges = [_edges(sheet) for sheet in sheets]
    pages: dict[Key, list[int]] = {}
    for page, rows in enumerate(edges):
        for key in {key for row in rows for key in _keys(row, page)}:
            pages.setdefault(key, []).append(page)
    repeated = [[row for row in rows if _repeats(row, page, pages)] for page, rows in enumerate(edges)]
    places = Counter(place for rows in repeated for place in {_place(row) for row in rows})
    usual = {place for place, count in places.items() if count >= max(_LEAST_PAGES, _SHARE * len(sheets))}
    found = []
    for sheet, rows, again in zip(sheets, edges, repeated, strict=True):
        dropped = {id(one) for row in (*again, *_in_places(rows, usual)) for one in row}
        found.append([one for one in sheet.segments if id(one) not in dropped])
    return found if 2 * sum(map(bool, found)) >= sum(bool(sheet.segments) for sheet in sheets) else _whole(sheets)


def _whole(sheets: Sequence[Sheet]) -> list[list[Segment]]:
    return [sheet.segments for sheet in sheets]


def _edges(sheet: Sheet) -> list[Row]:
    rows = rows_of(sheet.segments)
    outer = rows[:_ROWS] + rows[max(_ROWS, len(rows) - _ROWS) :]
    return [row for row in outer if len(_text(row)) <= _LONGEST]


def _repeats(row: Row, page: int, pages: dict[Key, list[int]]) -> bool:
    near = max(sum(abs(other - page) <= _NEAR for other in pages[key]) for key in _keys(row, page))
    return near >= _LEAST_PAGES


def _in_places(rows: Sequence[Row], usual: set[tuple[int, float]]) -> Iterator[Row]:
    return (row for row in rows if _place(row) in usual)


def _place(row: Row) -> tuple[int, float]:
    """Where a line stands, to 2 points, and its size."""
    return round(around([one.box for one in row]).bottom / 2), row[0].size


def _keys(row: Row, page: int) -> set[Key]:
    """What the line is on any page: its text, also with what its first or last number is beyond the page's own."""
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
