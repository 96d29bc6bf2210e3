"""Tables: lines of a column whose stretches stand below each other, or between drawn lines."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile

from ingestion.parse_document.pdf.frames import flat_lines, frames_of
from ingestion.parse_document.pdf.paragraphs import put_together
from ingestion.parse_document.pdf.segments import ENUMERATOR
from ingestion.parse_document.pdf.shapes import Box, Rule, Segment, around

_LEAST_ROWS, _LEAST_RULED = 3, 2
_FAR = 2.5  # sizes of white between two lines of a table
_SHARE = 0.6  # of the lines of a table that have two cells or more
_CAPTION = re.compile(r"(?:Tab(?:le|\.|elle|leau|la|ela|ella)|Таблица|表|표)\s*[\dA-Z]", re.IGNORECASE)
_NUMBER = re.compile(r"[\W\d]*\d[\W\d]*\w{0,3}")

Row = list[Segment]


@dataclass(slots=True)
class Grid:
    """A table: its columns' names ("" where there is none), and the values of each row under them."""

    box: Box
    names: list[str]
    rows: list[list[str]]
    caption: str = ""


def blocks(rows: Sequence[Row], rules: Sequence[Rule]) -> Iterator[tuple[int, int]]:
    """Where lines may be a table: what a frame holds, else what stands below a line of several stretches."""
    frames, at = frames_of(rules), 0
    while at < len(rows):
        end = at + _framed(rows[at:], frames)
        if end > at + 1:
            yield at, end
            at = end
            continue
        end = last = at + 1
        wide = rows[at]
        while len(rows[at]) > 1 and end < len(rows) and _near(rows[end - 1], rows[end]):
            if len(rows[end]) > 1:
                wide, last = rows[end], end + 1
            elif is_caption(rows[end][0].text) or not _below_one(rows[end][0], wide):
                break
            end += 1
        if last - at > 1:
            # A line of one cell below the last row belongs to it, if it does not begin where rows begin.
            while last < end and rows[last][0].box.left > wide[0].box.right:
                last += 1
            yield at, last
        at = max(last, at + 1)


def grid_of(rows: Sequence[Row], rules: Sequence[Rule], knows: Callable[[str], bool]) -> Grid | None:
    """The lines as a table, None if they are none."""
    box = around([one.box for row in rows for one in row])
    inside = [rule for rule in rules if _touches(rule, box)]
    columns = _columns_by_rules(inside, box) or _columns_by_place(rows, bool(inside))
    if columns is None or len(columns) < 2:
        return None
    flat = flat_lines(inside, box.width / 2)
    lines = [(_cells(row, columns), row) for row in rows]
    if sum(sum(map(bool, cells)) > 1 for cells, _ in lines) < _SHARE * len(lines) and len(flat) < 3:
        return None
    groups = _groups(lines, flat)
    spans = [_is_spanning(group, columns) for group in groups]
    told = [_told([cells for cells, _ in group], knows) for group in groups]
    names = _heads(told, groups, spans, flat)
    header = [""] * len(columns)
    for row in told[:names]:
        header = [", ".join(dict.fromkeys(filter(None, pair))) for pair in zip(header, row, strict=True)]
    return Grid(box, header, told[names:])


def is_caption(text: str) -> bool:
    """Whether a line says what a table is about."""
    return _CAPTION.match(text) is not None


def _framed(rows: Sequence[Row], frames: Sequence[Box]) -> int:
    """How many of the lines are in the frame that the first one is in."""
    frame = next((one for one in frames if _is_in(rows[0], one)), None)
    return sum(1 for _ in takewhile(lambda row: _is_in(row, frame), rows)) if frame else 0


def _is_in(row: Row, frame: Box) -> bool:
    middle = (row[0].box.bottom + row[0].box.top) / 2
    return frame.bottom < middle < frame.top and frame.left - 5 < row[0].box.left < frame.right


def _near(above: Row, below: Row) -> bool:
    return above[0].box.bottom - below[0].box.top < _FAR * below[0].size


def _below_one(one: Segment, wide: Row) -> bool:
    """Whether a stretch stands below no more than one of a row's."""
    return sum(one.box.left < cell.box.right and one.box.right > cell.box.left for cell in wide) <= 1


def _touches(rule: Rule, box: Box) -> bool:
    near = rule.box.bottom <= box.top + 15 and rule.box.top >= box.bottom - 15
    return near and rule.box.left <= box.right + 15 and rule.box.right >= box.left - 15


def _columns_by_rules(rules: Sequence[Rule], box: Box) -> list[tuple[float, float]] | None:
    """The spaces between standing lines, which have to run along most of the table in pieces or whole."""
    along = Counter[int]()
    for rule in rules:
        if not rule.flat:
            along[round(rule.box.left / 2)] += round(
                min(rule.box.top, box.top + 9) - max(rule.box.bottom, box.bottom - 9)
            )
    places = sorted(2 * place for place, length in along.items() if length > _SHARE * box.height)
    places = [place for before, place in pairwise([-9, *places]) if place - before > 5]
    edges = [box.left - 1, *(place for place in places if box.left + 5 < place < box.right - 5), box.right + 1]
    return list(pairwise(edges)) if len(edges) > 2 else None


def _columns_by_place(rows: Sequence[Row], ruled: bool) -> list[tuple[float, float]] | None:
    """What the rows with the usual number of cells cover, if each cell stands below the one above."""
    cells = [one for row in rows for one in row]
    if sum(one.fixed for one in cells) > (len(cells) / 2 if ruled else 0):
        return None  # the lines of a program
    if all(ENUMERATOR.fullmatch(row[0].text) for row in rows if len(row) > 1):
        return None  # a list
    counts = Counter(len(row) for row in rows if len(row) > 1)
    usual = max(counts, key=lambda count: (counts[count], count), default=0)
    if counts[usual] < (_LEAST_RULED if ruled else _LEAST_ROWS):
        return None
    columns = [
        (min(one.box.left for one in cells), max(one.box.right for one in cells))
        for cells in zip(*(row for row in rows if len(row) == usual), strict=True)
    ]
    return columns if all(left[1] < right[0] + 1 for left, right in pairwise(columns)) else None


def _cells(row: Row, columns: Sequence[tuple[float, float]]) -> list[str]:
    """What stands in each column; what spans several stands in each of them."""
    cells = [""] * len(columns)
    for one in row:
        met = [
            at
            for at, (left, right) in enumerate(columns)
            if _shared(one.box, left, right) > 0.3 * min(one.box.width, right - left)
        ]
        for at in met or [
            min(range(len(columns)), key=lambda at: abs(sum(columns[at]) - one.box.left - one.box.right))
        ]:
            cells[at] = f"{cells[at]} {one.text}".strip()
    return cells


def _shared(box: Box, left: float, right: float) -> float:
    return min(box.right, right) - max(box.left, left)


def _groups(lines: Sequence[tuple[list[str], Row]], flat: Sequence[int]) -> list[list[tuple[list[str], Row]]]:
    """The lines of each row: those between two drawn lines, or else what follows a line that has a first cell."""
    ruled = Counter(sum(row[0].box.bottom + 1 < line for line in flat) for _, row in lines)
    by_rules = len(ruled) > 2
    groups, before = list[list[tuple[list[str], Row]]](), -1
    for cells, row in lines:
        above = sum(row[0].box.bottom + 1 < line for line in flat)
        new = above != before if by_rules else above != before or bool(cells[0])
        if new or not groups:
            groups.append([])
        groups[-1].append((cells, row))
        before = above
    return groups


def _told(lines: Sequence[list[str]], knows: Callable[[str], bool]) -> list[str]:
    told = list(lines[0])
    for cells in lines[1:]:
        told = [
            put_together(one, more, knows) if one and more else one or more
            for one, more in zip(told, cells, strict=True)
        ]
    return told


def _is_spanning(group: Sequence[tuple[list[str], Row]], columns: Sequence[tuple[float, float]]) -> bool:
    return any(sum(_shared(one.box, *column) > 0 for column in columns) > 1 for _, row in group for one in row)


def _heads(
    told: Sequence[list[str]],
    groups: Sequence[Sequence[tuple[list[str], Row]]],
    spans: Sequence[bool],
    flat: Sequence[int],
) -> int:
    """How many rows at the top are names of columns."""
    depth = 2 if spans[0] and len(told) > 2 else 1
    if len(told) <= depth:
        return 0
    return depth if _looks_like_names(told, groups, depth, flat) else 0


def _looks_like_names(
    told: Sequence[list[str]], groups: Sequence[Sequence[tuple[list[str], Row]]], depth: int, flat: Sequence[int]
) -> bool:
    bold = [all(one.bold for _, row in group for one in row) for group in groups]
    if (all(bold[:depth]) and not all(bold)) or len(flat) >= 3:
        return True
    head, body = told[depth - 1], told[depth:]
    if not head[0] and all(head[1:]):
        return True
    return any(
        name and not _NUMBER.fullmatch(name) and sum(bool(_NUMBER.fullmatch(row[at])) for row in body) > len(body) / 2
        for at, name in enumerate(head)
    )
