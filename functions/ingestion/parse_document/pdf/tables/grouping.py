"""The lines of a table that are one row."""

import re
from collections.abc import Sequence
from itertools import pairwise

from ingestion.parse_document.pdf.tables.cells import Row

_MORE = 0.1  # of the size: by so much more are the lines of two rows apart than those of one
# A value, with its unit.
NUMBER = re.compile(r"[\W\d]*\d[\W\d]*\w{0,3}")
_MOST_HEAD = 4  # lines

Line = tuple[list[str], Row]


def numbered(told: Sequence[Sequence[str]]) -> list[int]:
    """Return the columns behind the first one that hold more numbers than other texts."""
    found = []
    for at, column in enumerate(zip(*told, strict=True)):
        filled = [cell for cell in column if cell]
        if at and 2 * sum(NUMBER.fullmatch(cell) is not None for cell in filled) > len(filled):
            found.append(at)
    return found


def head_lines(lines: Sequence[Line], flat: Sequence[int]) -> int:
    """Return how many lines stand above a drawn one, that divides a table's head from its rows; 0 if there is none.

    Several with a number among them are rows, and the line is above their sum.
    """
    over = _above(lines, flat)
    head = sum(one == over[0] for one in over)
    if head > min(_MOST_HEAD, len(lines) / 2):
        return 0
    return head if head == 1 or not any(NUMBER.fullmatch(cell) for cells, _ in lines[:head] for cell in cells) else 0


def groups_of(lines: Sequence[Line], flat: Sequence[int], head: int) -> list[list[Line]]:
    """Return the lines of each row: those between two drawn lines, between wider gaps, or from each first cell on.

    A number is whole: below another text of a column of numbers it is the next row's. `head` lines are names of
    columns; those of one level are one row.
    """
    over, numbers = _above(lines, flat), numbered([cells for cells, _ in lines])
    by_rules = len(set(over)) > 2
    if head > 1 and not by_rules and not any(spans(cells) for cells, _ in lines[:head]):
        return [list(lines[:head]), *groups_of(lines[head:], flat, 0)]
    wide = None if by_rules else _wide_gap(lines, over)
    groups = [[lines[0]]]
    for (before, above), (now, line) in pairwise(zip(over, lines, strict=True)):
        starts = _base(above) - _base(line) > wide if wide is not None else bool(line[0][0])
        if now != before or (starts and not by_rules) or _counts_on(groups[-1], line[0], numbers):
            groups.append([])
        groups[-1].append(line)
    return groups


def _counts_on(group: Sequence[Line], cells: Sequence[str], numbers: Sequence[int]) -> bool:
    return any(NUMBER.fullmatch(cells[at]) and any(held[at] for held, _ in group) for at in numbers)


def spans(cells: Sequence[str]) -> bool:
    """Return whether one name stands above two columns."""
    return any(one and one == other for one, other in pairwise(cells))


def lines_above(line: Line, flat: Sequence[int]) -> int:
    """Return how many of the drawn lines are above a line of text."""
    return sum(line[1][0].box.bottom + 1 < height for height in flat)


def _above(lines: Sequence[Line], flat: Sequence[int]) -> list[int]:
    return [lines_above(line, flat) for line in lines]


def _wide_gap(lines: Sequence[Line], over: Sequence[int]) -> float | None:
    """The distance from which on the next line is another row's; None if all are alike, or each is a whole row."""
    found = [
        (_base(above) - _base(line), all(line[0]))
        for (before, above), (now, line) in pairwise(zip(over, lines, strict=True))
        if now == before
    ]
    gaps = sorted(gap for gap, _ in found)
    least = _MORE * lines[0][1][0].size
    jumps = [(after - before, (before + after) / 2) for before, after in pairwise(gaps) if after - before > least]
    if not jumps:
        return None
    wide = max(jumps)[1]
    whole = [whole for gap, whole in found if gap <= wide]
    return wide if 2 * sum(whole) <= len(whole) else None


def _base(line: Line) -> float:
    return max(one.base for one in line[1])
