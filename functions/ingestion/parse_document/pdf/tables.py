"""Tables: the names of their columns, and their rows, of which each may take several lines."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from ingestion.parse_document.pdf.blocks import Block
from ingestion.parse_document.pdf.cells import Row
from ingestion.parse_document.pdf.frames import flat_lines
from ingestion.parse_document.pdf.paragraphs import put_together
from ingestion.parse_document.pdf.shapes import Box, around

_SHARE = 0.25  # of the lines of a table that have two cells or more
_NUMBER = re.compile(r"[\W\d]*\d[\W\d]*\w{0,3}")


@dataclass(slots=True)
class Grid:
    """A table: its columns' names ("" where there is none), and the values of each row under them."""

    box: Box
    names: list[str]
    rows: list[list[str]]
    caption: str = ""


Line = tuple[list[str], Row]


def grid_of(block: Block, knows: Callable[[str], bool]) -> Grid | None:
    """A block's lines as a table, None if they are none."""
    box = around([one.box for row in block.rows for one in row])
    flat = flat_lines(block.rules, box.width / 2)
    lines = [(_cells(row, block.columns), row) for row in block.rows]
    if sum(sum(map(bool, cells)) > 1 for cells, _ in lines) < _SHARE * len(lines) and len(flat) < 3:
        return None
    groups = _groups(lines, flat)
    spans = [_is_spanning(group, block.columns) for group in groups]
    told = [_told([cells for cells, _ in group], knows) for group in groups]
    names = _heads(told, groups, spans, flat)
    header = [""] * len(block.columns)
    for row in told[:names]:
        header = [", ".join(dict.fromkeys(filter(None, pair))) for pair in zip(header, row, strict=True)]
    return Grid(box, header, told[names:])


def _cells(row: Row, columns: Sequence[tuple[float, float]]) -> list[str]:
    """What stands in each column; what spans several stands in each of them."""
    cells = [""] * len(columns)
    for one in row:
        met = [
            at
            for at, (left, right) in enumerate(columns)
            if _shared(one.box, left, right) > 0.3 * min(one.box.width, right - left)
            and not any(one.box.left < other.box.left and left <= other.box.left < right for other in row)
        ]
        for at in met or [
            min(range(len(columns)), key=lambda at: abs(sum(columns[at]) - one.box.left - one.box.right))
        ]:
            cells[at] = f"{cells[at]} {one.text}".strip()
    return cells


def _shared(box: Box, left: float, right: float) -> float:
    return min(box.right, right) - max(box.left, left)


def _groups(lines: Sequence[Line], flat: Sequence[int]) -> list[list[Line]]:
    """The lines of each row: those between two drawn lines, between wider gaps, or from each first cell on."""
    below = [sum(row[0].box.bottom + 1 < line for line in flat) for _, row in lines]
    by_rules, wide = len(set(below)) > 2, _wide_gap([row for _, row in lines])
    groups = [[lines[0]]]
    for (before, above), (now, line) in pairwise(zip(below, lines, strict=True)):
        gap = _bottom(above[1]) - _top(line[1])
        starts = gap > wide if wide is not None else bool(line[0][0])
        if now != before or (starts and not by_rules):
            groups.append([])
        groups[-1].append(line)
    return groups


def _wide_gap(rows: Sequence[Row]) -> float | None:
    """The white that divides two rows, if there is more of it than between the lines of one; None if all are alike."""
    gaps = sorted(_bottom(above) - _top(below) for above, below in pairwise(rows))
    least = 0.2 * rows[0][0].size
    jumps = [(after - before, (before + after) / 2) for before, after in pairwise(gaps) if after - before > least]
    return max(jumps)[1] if jumps else None


def _bottom(row: Row) -> float:
    return min(one.box.bottom for one in row)


def _top(row: Row) -> float:
    return max(one.box.top for one in row)


def _told(lines: Sequence[list[str]], knows: Callable[[str], bool]) -> list[str]:
    told = list(lines[0])
    for cells in lines[1:]:
        told = [
            put_together(one, more, knows) if one and more else one or more
            for one, more in zip(told, cells, strict=True)
        ]
    return told


def _is_spanning(group: Sequence[Line], columns: Sequence[tuple[float, float]]) -> bool:
    return any(sum(_shared(one.box, *column) > 0 for column in columns) > 1 for _, row in group for one in row)


def _heads(
    told: Sequence[list[str]],
    groups: Sequence[Sequence[Line]],
    spans: Sequence[bool],
    flat: Sequence[int],
) -> int:
    """How many rows at the top are names of columns."""
    depth = 2 if spans[0] and len(told) > 2 else 1
    if len(told) <= depth:
        return 0
    return depth if _looks_like_names(told, groups, depth, flat) else 0


def _looks_like_names(
    told: Sequence[list[str]], groups: Sequence[Sequence[Line]], depth: int, flat: Sequence[int]
) -> bool:
    bold = [all(one.bold for _, row in group for one in row) for group in groups]
    if (all(bold[:depth]) and not all(bold)) or len(flat) >= 3:
        return True
    head, body = told[depth - 1], told[depth:]
    if (not head[0] and all(head[1:])) or _is_short(head, body):
        return True
    return any(
        name and not _NUMBER.fullmatch(name) and sum(bool(_NUMBER.fullmatch(row[at])) for row in body) > len(body) / 2
        for at, name in enumerate(head)
    )


def _is_short(head: Sequence[str], body: Sequence[Sequence[str]]) -> bool:
    """Whether a row has a name in each of many columns, or of two with much longer values in the second."""
    if not all(head) or any(character.isdecimal() for name in head for character in name):
        return False
    return len(head) > 2 or 2 * len(head[-1]) <= median(len(row[-1]) for row in body)
