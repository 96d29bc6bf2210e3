"""The lines of a table, and which of them are one row."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from ingestion.parse_document.pdf.shapes import Rule
from ingestion.parse_document.pdf.tables.blocks import Columns, Row

_MORE = 0.1  # of the size: by so much more are the lines of two rows apart than those of one
_LEAST_SHARED = 3  # rows
_EXACT = 4  # points: heights of lines are rounded to 3
_NUMBER = re.compile(r"[\W\d]*\d[\W\d]*\w{0,3}")


class Line(NamedTuple):
    """A line of a table: what stands in each column, the stretches, and how many drawn lines are above it."""

    cells: list[str]
    row: Row
    above: int

    @property
    def base(self) -> float:
        """Return the height on which it stands."""
        return max(one.base for one in self.row)


def is_number(cell: str) -> bool:
    """Return whether a cell is a value with its unit."""
    return _NUMBER.fullmatch(cell) is not None


def numbered(told: Sequence[Sequence[str]]) -> list[int]:
    """Return the columns behind the first one that hold more numbers than other texts."""
    filled = [list(filter(None, column)) for column in zip(*told, strict=True)]
    return [at for at, cells in enumerate(filled) if at and 2 * sum(map(is_number, cells)) > len(cells)]


def spans(cells: Sequence[str]) -> bool:
    """Return whether one name stands above two columns."""
    return any(one and one == other for one, other in pairwise(cells))


def head_lines(lines: Sequence[Line]) -> int:
    """Return how many lines stand above a drawn one, that divides a table's head from its rows; 0 if there is none.

    Several with a number among them are rows, and the line is above their sum.
    """
    head = sum(line.above == lines[0].above for line in lines)
    if 2 * head > len(lines) and not are_ruled(lines):
        return 0
    return head if head == 1 or not any(is_number(cell) for line in lines[:head] for cell in line.cells) else 0


def are_ruled(lines: Sequence[Line]) -> bool:
    """Return whether lines are drawn between the rows, not only below the head."""
    return len({line.above for line in lines}) > 2


def groups_of(lines: Sequence[Line], head: int) -> list[list[Line]]:
    """Return the lines of each row: those between two drawn lines, between wider gaps, or from each first cell on.

    A number is whole: below another text of a column of numbers it is the next row's. The `head` lines are one row if
    none of their names spans columns.
    """
    by_rules = are_ruled(lines)
    one = head if head > 1 and not by_rules and not any(spans(line.cells) for line in lines[:head]) else 0
    numbers, wide = numbered([line.cells for line in lines[one:]]), None if by_rules else _wide_gap(lines[one:])
    groups = [[lines[0]]]
    for at, (before, line) in enumerate(pairwise(lines), 1):
        starts = before.base - line.base > wide if wide is not None else bool(line.cells[0])
        divided = line.above != before.above or (starts and not by_rules) or _counts_on(groups[-1], line, numbers)
        if at >= one and (divided or at == one):
            groups.append([])
        groups[-1].append(line)
    return groups


def _counts_on(group: Sequence[Line], line: Line, numbers: Sequence[int]) -> bool:
    return any(is_number(line.cells[at]) and any(held.cells[at] for held in group) for at in numbers)


def _wide_gap(lines: Sequence[Line]) -> float | None:
    """The distance from which on the next line is another row's; None if all are alike, or each is a whole row."""
    found = sorted(
        (above.base - line.base, all(line.cells)) for above, line in pairwise(lines) if above.above == line.above
    )
    jumps = [(after - before, (before + after) / 2) for (before, _), (after, _) in pairwise(found)]
    jump, wide = max(jumps, default=(0.0, 0.0))
    whole = [whole for gap, whole in found if gap <= wide]
    return wide if jump > _MORE * lines[0].row[0].size and 2 * sum(whole) <= len(whole) else None


def with_shared(
    told: Sequence[list[str]], groups: Sequence[Sequence[Line]], flat: Sequence[int], rules: Sequence[Rule], at: Columns
) -> list[list[str]]:
    """Return the rows with what several share in each: no line is drawn between them in their column.

    `groups` are their lines, `flat` the heights of drawn ones, `at` the columns. Rows that no lines divide share
    nothing, nor do those of which each has a text of its own.
    """
    above = [group[0].above for group in groups]
    rows = [list(row) for row in told]
    if len(rows) < _LEAST_SHARED or any(one >= after for one, after in pairwise(above)):
        return rows
    heights = [flat[-1 - lines] for lines in above[:-1]]
    for column, (left, right) in enumerate(at):
        across = [one.box.bottom for one in rules if one.flat and one.box.left <= (left + right) / 2 <= one.box.right]
        ends = [row for row, height in enumerate(heights, 1) if any(abs(one - height) <= _EXACT for one in across)]
        for first, end in pairwise([0, *ends, len(rows)]):
            texts = [row[column] for row in told[first:end]]
            for row in rows[first:end]:
                row[column] = row[column] if all(texts) else " ".join(filter(None, texts))
    return rows
