"""The tables of ICDAR 2013's competition: grids that people have marked, without what of them is a heading."""

import re
from collections.abc import Iterator
from dataclasses import replace
from xml.etree import ElementTree

from bench.documents.known.areas import Area, Table, cells_of, next_line
from bench.documents.known.pages import Known

_YEAR = re.compile(r"(?:19|20)\d\d(?:\s*[-/]\s*\d+)?")
_VALUE = re.compile(r"\W*\d[\d\W]*\w{0,2}|[-–—]|n/?a", re.IGNORECASE)
_MAX_HEADINGS = 5  # rows


def known_of_tables(xml: bytes) -> Known:
    """Return the tables of a `-str.xml`; the text around them is not known."""
    tables = [_with_headings(_areas(table)) for table in ElementTree.fromstring(xml).iter("table")]
    known = Known("\n".join(area.text for table in tables for area in table), whole=False, tables=tables)
    for table in tables:
        known.cells += cells_of(table, next_line(known.cells))
    return known


def _areas(table: ElementTree.Element) -> Table:
    """Return the cells of all regions; increments position a region in its table."""
    found: Table = []
    for region in table.iter("region"):
        down, right = int(region.get("row-increment", 0)), int(region.get("col-increment", 0))
        for cell in region.iter("cell"):
            row, column = int(cell.get("start-row", 0)), int(cell.get("start-col", 0))
            rows, columns = int(cell.get("end-row", row)) - row + 1, int(cell.get("end-col", column)) - column + 1
            text = " ".join((cell.findtext("content") or "").split())
            found.append(Area(text, row + down, column + right, rows, columns))
    top, left = min(area.row for area in found), min(area.column for area in found)  # some count from 1
    return [replace(area, row=area.row - top, column=area.column - left) for area in found]


def _with_headings(table: Table) -> Table:
    """Return the table with the rows at its top marked that name its columns.

    Headings end above the first row in which at least half of the cells after the first column are values (numbers that
    are not years, or dashes), but never inside a cell that spans rows. A row above it with a single cell is a title of
    rows. A table of words has one heading row, two if a heading spans columns.
    """
    rows = sorted({row for area in table for row, _ in area.places()})
    filled = [[area for area in table if area.text and area.covers(row)] for row in rows]
    depth = next((at for at, row in enumerate(filled) if _has_values(row)), len(rows))
    if depth > min(_MAX_HEADINGS, len(rows) / 2):
        depth = 1 + any(area.columns > 1 or area.rows > 1 for area in filled[0])
    while depth > 1 and len(filled[depth - 1]) == 1 and filled[depth - 1][0].column == 0:
        depth -= 1
    names = set(rows[: max((rows.index(row) + 1 for row in _spanned(filled[:depth]) if row in rows), default=depth)])
    return [replace(one, heading=one.row in names) for one in table]


def _spanned(rows: list[list[Area]]) -> Iterator[int]:
    return (area.row + area.rows - 1 for row in rows for area in row)


def _has_values(row: list[Area]) -> bool:
    beside = [area for area in row if area.column > 0]
    return 2 * sum(map(_is_value, beside)) >= len(beside) > 0


def _is_value(area: Area) -> bool:
    return _VALUE.fullmatch(area.text) is not None and not _YEAR.fullmatch(area.text)
