"""The lines of a table, and the rows of them that are the names of its columns."""

import re
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from selfrag.reader.pdf.tables.blocks import Columns, Row

_LONGEST = 120  # characters of a name: what is longer is a sentence
_OFF = 9  # points from the middle of what a name is over
_YEAR = re.compile(r"(?:19|20)\d\d")
_NUMBER = re.compile(r"[\W\d]*\d[\W\d]*\w{0,3}")


class Line(NamedTuple):
    """A line of a table: the text in each column, its stretches, and how many drawn lines are above it."""

    cells: list[str]
    row: Row
    above: int


def names_of(told: Sequence[list[str]], groups: Sequence[Sequence[Line]], head: int, at: Columns) -> list[list[str]]:
    """Return the rows at the top that name columns, none if that is not certain; `at` are the columns.

    Names stand above a drawn line, as the first `head` lines do, or above the first number of a column of numbers, or
    are bold. A value is never taken for a name.
    """
    bold = [all(one.bold for line in group for one in line.row) for group in groups]
    rows = next((at for at, lines in enumerate(accumulate(map(len, groups)), 1) if lines >= head > 0), 0)
    depth = _depth(told, rows, bold[0] and not all(bold))
    above = max(0, depth - 1)
    return [*(_spread(told[row], groups[row], at) for row in range(above)), *told[above:depth]]


def _depth(told: Sequence[Sequence[str]], head: int, bold: bool) -> int:
    columns = numbered([["" if _YEAR.fullmatch(cell) else cell for cell in cells] for cells in told])
    values = [2 * sum(is_number(cells[at]) for at in columns) >= len(columns) for cells in told]
    first = values.index(True) if columns and True in values else len(told)
    depth = head or (first if columns else int(bold))
    while 0 < depth < first and (
        spans(told[depth - 1]) or (first < len(told) and not _are_named(told[:depth], columns))
    ):
        depth += 1
    depth = min(depth, first)
    names = [cell for cells in told[:depth] for cell in cells if not _YEAR.fullmatch(cell)]
    certain = (head or not any(map(is_number, names))) and all(len(name) <= _LONGEST for name in names)
    return depth if certain and depth < len(told) and _are_named(told[:depth], columns) else 0


def _are_named(head: Sequence[Sequence[str]], columns: Sequence[int]) -> bool:
    return all(any(cells[column] for cells in head) for column in columns)


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


def _spread(cells: Sequence[str], group: Sequence[Line], columns: Columns) -> list[str]:
    """Return a row of names, each over all columns of which it stands in the middle, over none of another one."""
    found = list(cells)
    centres = {one.text: (one.box.left + one.box.right) / 2 for line in group for one in line.row}
    for text in dict.fromkeys(filter(None, cells)):
        if cells.count(text) != sum(map(text.__eq__, found)) or text not in centres:
            continue
        first, end = cells.index(text), len(cells) - list(reversed(cells)).index(text)
        least = max((at for at in range(first) if found[at]), default=0) + 1
        most = min((at for at in range(end, len(cells)) if cells[at]), default=len(cells))
        over = [(left, right) for left in range(least, first + 1) for right in range(end, most + 1)]
        off = {span: abs(columns[span[0]][0] + columns[span[1] - 1][1] - 2 * centres[text]) / 2 for span in over}
        wide = max((span for span in over if off[span] <= _OFF), key=lambda one: one[1] - one[0], default=(first, end))
        found[wide[0] : wide[1]] = [text] * (wide[1] - wide[0])
    return found
