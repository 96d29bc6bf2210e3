"""The blocks of a column of text that may hold a table."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from ingestion.parse_document.pdf.shapes import Box, Rule, Segment
from ingestion.parse_document.pdf.tables.cells import Columns, Row, column_at, columns_of, touching
from ingestion.parse_document.pdf.tables.frames import is_in

_FAR = 2.5  # sizes of white between two lines of a table
_MOST_ABOVE = 4  # lines
_CAPTION = re.compile(r"(?:Tab(?:le|\.|elle|leau|la|ela|ella)|Таблица|表|표)\s*[\dA-Z]", re.IGNORECASE)


@dataclass(slots=True)
class Block:
    """Consecutive lines, from `start` to `end`, in columns; `rules` are the drawn lines that touch them."""

    start: int
    end: int
    rows: list[Row]
    columns: Columns
    rules: list[Rule]


def blocks(rows: Sequence[Row], rules: Sequence[Rule], frames: Sequence[Box]) -> Iterator[Block]:
    """Yield what a frame holds; else the lines from one of several stretches on, and those below them that fit."""
    at = 0
    while at < len(rows):
        end = at + _framed(rows[at:], frames)
        framed = end > at + 1
        if not framed:
            end = _end(rows, at)
        near = touching(rules, rows[at:end])
        columns = columns_of(rows[at:end], near) if end > at + 1 else None
        if columns is None:
            at += 1
            continue
        end = end if framed else _extended(rows, end, columns)
        start, end = _within(rows, at, end, columns)
        yield Block(start, end, list(rows[start:end]), columns, near)
        at = end


def _end(rows: Sequence[Row], at: int) -> int:
    """The end of the last line of several stretches that is near, with lines between that stand below one of them."""
    end = last = at + 1
    wide = rows[at]
    while len(rows[at]) > 1 and end < len(rows) and _near(rows[end - 1], rows[end]):
        if len(rows[end]) > 1:
            wide, last = rows[end], end + 1
        elif not _below_one(rows[end][0], wide):
            break
        end += 1
    return last


def _extended(rows: Sequence[Row], end: int, columns: Columns) -> int:
    """The end of the lines below whose words begin at the columns though no wide gap divides them."""
    at = end
    while at < len(rows) and _near(rows[at - 1], rows[at]) and (places := _places(rows[at], columns)):
        at += 1
        # A line of one cell is the table's if it is not where rows begin, or if more follows.
        end = at if places > 1 or column_at(rows[at - 1][0], columns) else end
    return end


def _within(rows: Sequence[Row], start: int, end: int, columns: Columns) -> tuple[int, int]:
    """The same without the lines of a text across all columns above and below: a title or a note, not a name."""
    for above in range(start, min(start + _MOST_ABOVE, end - 2)):
        if all(len(row) == 1 for row in rows[start : above + 1]) and _is_across(rows[above], columns):
            start = above + 1
    while end - start > 2 and _is_across(rows[end - 1], columns):
        end -= 1
    return start, end


def _is_across(row: Row, columns: Columns) -> bool:
    return len(row) == 1 and row[0].box.left < columns[0][1] and row[0].box.right > columns[-1][0]


def _places(row: Row, columns: Columns) -> int:
    """Return how many columns a line fills, 0 if it does not fit them."""
    found = [column_at(one, columns) for one in row]
    return 0 if None in found or is_caption(row[0].text) else len(found)


def is_caption(text: str) -> bool:
    """Return whether a line says what a table is about."""
    return _CAPTION.match(text) is not None


def _framed(rows: Sequence[Row], frames: Sequence[Box]) -> int:
    """Return how many of the lines are in the frame that the first one is in."""
    frame = next((one for one in frames if is_in(rows[0][0], one)), None)
    return sum(1 for _ in takewhile(lambda row: is_in(row[0], frame), rows)) if frame else 0


def _near(above: Row, below: Row) -> bool:
    return above[0].box.bottom - below[0].box.top < _FAR * below[0].size


def _below_one(one: Segment, wide: Row) -> bool:
    """Return whether a stretch stands below no more than one of a row's."""
    return sum(one.box.left < cell.box.right and one.box.right > cell.box.left for cell in wide) <= 1
