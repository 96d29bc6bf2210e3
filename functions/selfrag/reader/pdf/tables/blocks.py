"""Detection of table blocks and their columns."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile

from selfrag.reader.pdf.shapes import Box, PdfSegment, Rule, around
from selfrag.reader.pdf.tables.frames import is_in
from selfrag.reader.pdf.text.segments import ENUMERATOR

_FAR = 2.5  # maximum white space between table lines, in sizes
_MAX_ABOVE = 4  # lines
_MIN_ROWS, _MIN_RULED = 3, 2
_EXACT = 2  # tolerance in points for aligned cells
_AROUND = 15  # points from a table to its border lines
_SHARE = 0.6  # share of the table's height that a column line covers
_CAPTION = re.compile(r"(?:Tab(?:le|\.|elle|leau|la|ela|ella)|Таблица|表|표)\s*[\dA-Z]", re.IGNORECASE)

Row = list[PdfSegment]
Columns = list[tuple[float, float]]


@dataclass(slots=True)
class Block:
    """Consecutive lines from `start` to `end` in columns; `rules` are the drawn lines in and around them."""

    start: int
    end: int
    rows: Sequence[Row]
    columns: Columns
    rules: list[Rule]


def blocks(rows: Sequence[Row], rules: Sequence[Rule], frames: Sequence[Box]) -> Iterator[Block]:
    """Yield framed blocks and runs of lines with several segments."""
    at = 0
    while at < len(rows):
        end = _end(rows, at, frames)
        box = around([segment.box for row in rows[at:end] for segment in row])
        near = [rule for rule in rules if rule.box.meets(box, _AROUND)]
        columns = _columns(rows[at:end], near, box) if end > at + 1 else []
        if len(columns) < 2:
            at += 1
            continue
        start, at = _trim_full_lines(rows, at, _extend(rows, end, columns), columns)
        yield Block(start, at, rows[start:at], columns, near)


def is_caption(text: str) -> bool:
    """Return whether a line is a table caption."""
    return _CAPTION.match(text) is not None


def _end(rows: Sequence[Row], at: int, frames: Sequence[Box]) -> int:
    """Return the end of the frame at a line, or of the run of nearby multi-segment lines.

    Single-segment lines in between may continue a cell.
    """
    frame = next((frame for frame in frames if is_in(rows[at][0], frame)), None)
    framed = sum(1 for _ in takewhile(lambda row: is_in(row[0], frame), rows[at:])) if frame else 0
    if framed > 1:
        return at + framed
    end = last = at + 1
    wide = rows[at]
    while len(rows[at]) > 1 and end < len(rows) and _are_near(rows[end - 1], rows[end]):
        if len(rows[end]) > 1:
            wide, last = rows[end], end + 1
        elif sum(rows[end][0].is_over(cell) for cell in wide) > 1 and not _names_a_group(rows[end : end + 2], wide):
            break
        end += 1
    return last


def _names_a_group(rows: Sequence[Row], wide: Row) -> bool:
    """Return whether a line across columns is bold and the next row aligns with the one above."""
    below = rows[-1]
    alike = len(below) == len(wide) and all(
        abs(cell.box.left - other.box.left) <= _EXACT for cell, other in zip(below, wide, strict=True)
    )
    return rows[0][0].bold and alike and _are_near(rows[0], below)


def _trim_full_lines(rows: Sequence[Row], start: int, end: int, columns: Columns) -> tuple[int, int]:
    """Trim lines that cross all columns above and below: titles and notes, not names."""
    for above in range(start, min(start + _MAX_ABOVE, end - 2)):
        if all(len(row) == 1 for row in rows[start : above + 1]) and _is_across(rows[above], columns):
            start = above + 1
    while end - start > 2 and _is_across(rows[end - 1], columns):
        end -= 1
    return start, end


def _extend(rows: Sequence[Row], end: int, columns: Columns) -> int:
    """Extend a block by nearby lines whose segments fit its columns.

    A line in the first column alone is excluded.
    """
    edges = [left for left, _ in columns[1:]] + [math.inf]
    while end < len(rows) and _are_near(rows[end - 1], rows[end]):
        columns_met = [
            at
            for segment in rows[end]
            for at, ((left, _), edge) in enumerate(zip(columns, edges, strict=True))
            if abs(segment.box.left - left) <= _EXACT and segment.box.right < edge
        ]
        if columns_met == [0] or len(columns_met) < len(rows[end]):
            break
        end += 1
    return end


def _is_across(row: Row, columns: Columns) -> bool:
    return len(row) == 1 and row[0].box.left < columns[0][1] and row[0].box.right > columns[-1][0]


def _are_near(above: Row, below: Row) -> bool:
    return above[0].box.bottom - below[0].box.top < _FAR * below[0].size


def _columns(rows: Sequence[Row], rules: Sequence[Rule], box: Box) -> Columns:
    """Return each column's extent: between vertical lines along most of the table, or by its cells."""
    along = Counter[int]()
    for rule in rules:
        if not rule.flat:
            length = min(rule.box.top, box.top + 9) - max(rule.box.bottom, box.bottom - 9)
            along[round(rule.box.left / 2)] += round(length)
    places = sorted(2 * place for place, length in along.items() if length > _SHARE * box.height)
    places = [place for before, place in pairwise([-9, *places]) if place - before > 5]
    inner = [place for place in places if box.left + 5 < place < box.right - 5]
    return list(pairwise([box.left - 1, *inner, box.right + 1])) if inner else _columns_of_cells(rows, bool(rules))


def _columns_of_cells(rows: Sequence[Row], ruled: bool) -> Columns:
    """Return column extents from rows with the usual cell count, if the cells align.

    Program listings (monospaced) are rejected, unless their lines align exactly below proportional text.
    """
    cells, several = [segment for row in rows for segment in row], [row for row in rows if len(row) > 1]
    widest = _align_with_widest(rows, cells)
    if sum(segment.fixed for segment in cells) > (len(cells) / 2 if ruled else 0):
        fixed = [all(segment.fixed for segment in row) for row in several]
        if not widest or (all(fixed[:1]) and 2 * sum(fixed) > len(fixed)):
            return []
    if all(ENUMERATOR.fullmatch(row[0].text) for row in several):
        return []  # a list
    counts = Counter(len(row) for row in rows if len(row) > 1)
    usual = max(counts, key=lambda count: (counts[count], count), default=0)
    if counts[usual] < (_MIN_RULED if ruled else _MIN_ROWS):
        return []
    below = zip(*(row for row in rows if len(row) == usual), strict=True)
    return _edges(widest if len(widest) > usual else []) or _edges([*below])


def _edges(columns: Sequence[Sequence[PdfSegment]]) -> Columns:
    """Return each column's extent; none if two overlap."""
    edges = [(min(cell.box.left for cell in cells), max(cell.box.right for cell in cells)) for cells in columns]
    return edges if all(left[1] < right[0] + 1 for left, right in pairwise(edges)) else []


def _align_with_widest(rows: Sequence[Row], cells: Sequence[PdfSegment]) -> list[Row]:
    """Return cells by column if all align with the widest row."""
    lefts = [segment.box.left for segment in max(rows, key=len)]
    columns = [[cell for cell in cells if abs(cell.box.left - left) <= _EXACT] for left in lefts]
    return columns if sum(map(len, columns)) == len(cells) else []
