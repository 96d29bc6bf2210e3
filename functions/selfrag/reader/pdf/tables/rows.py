"""The rows of a table, of which each may take several lines."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from selfrag.reader.pdf.shapes import around
from selfrag.reader.pdf.tables.blocks import Block, Columns, Row
from selfrag.reader.pdf.tables.frames import flat_lines
from selfrag.reader.pdf.tables.heads import Line, is_number, names_of, numbered, spans
from selfrag.reader.pdf.text.paragraphs import Words

_MORE = 0.1  # of the size: by so much more are the lines of two rows apart than those of one
_SHARE = 0.25  # of the lines of a table that have two cells or more
_LEAST_SHARED = 3  # rows
_EXACT = 4  # points: heights of lines are rounded to 3


@dataclass(slots=True)
class Table:
    """The names of columns, "" where they are not certain, and the values of each row."""

    names: list[str]
    rows: list[list[str]]
    caption: str = ""


def table_of(block: Block, words: Words) -> Table | None:
    """Return the lines of a block as a table, None if they are none; a value is never taken for a name."""
    flat = flat_lines(block.rules, around([one.box for row in block.rows for one in row]).width / 2)
    above = [sum(row[0].box.bottom + 1 < height for height in flat) for row in block.rows]
    lines = [Line(_cells(row, block.columns), row, over) for row, over in zip(block.rows, above, strict=True)]
    head = _head_lines(lines)
    if not head and sum(sum(map(bool, line.cells)) > 1 for line in lines) < _SHARE * len(lines):
        return None
    groups = _groups_of(lines, head)
    told = [
        [_joined(column, words) for column in zip(*(line.cells for line in group), strict=True)] for group in groups
    ]
    told = _with_shared(told, [group[0].above for group in groups], flat, block)
    names = names_of(told, groups, head, block.columns)
    called = [", ".join(dict.fromkeys(filter(None, column))) for column in zip(*names, strict=True)]
    return Table(called or [""] * len(block.columns), told[len(names) :])


def _cells(row: Row, columns: Columns) -> list[str]:
    """Return what stands in each column; what spans several stands in each of them."""
    cells = [""] * len(columns)
    for one in row:
        met = [
            at
            for at, (left, right) in enumerate(columns)
            if min(one.box.right, right) - max(one.box.left, left) > 0.3 * min(one.box.width, right - left)
            and not any(one.box.left < other.box.left and left <= other.box.left < right for other in row)
        ]
        nearest = min(range(len(columns)), key=lambda at: abs(sum(columns[at]) - one.box.left - one.box.right))
        for at in met or [nearest]:
            cells[at] = f"{cells[at]} {one.text}".strip()
    return cells


def _joined(texts: Sequence[str], words: Words) -> str:
    """Return the lines of a cell as one."""
    said = ""
    for text in filter(None, texts):
        said = words.put_together(said, text, cell=True) if said else text
    return said


def _head_lines(lines: Sequence[Line]) -> int:
    """Return how many lines stand above a drawn one, that divides a table's head from its rows; 0 if there is none.

    Several with a number among them are rows, and the line is above their sum.
    """
    head = sum(line.above == lines[0].above for line in lines)
    if 2 * head > len(lines) and not _are_ruled(lines):
        return 0
    return head if head == 1 or not any(is_number(cell) for line in lines[:head] for cell in line.cells) else 0


def _are_ruled(lines: Sequence[Line]) -> bool:
    """Return whether lines are drawn between the rows, not only below the head."""
    return len({line.above for line in lines}) > 2


def _groups_of(lines: Sequence[Line], head: int) -> list[list[Line]]:
    """Return the lines of each row: those between two drawn lines, between wider gaps, or from each first cell on.

    A number is whole: below another text of a column of numbers it is the next row's. The `head` lines are one row if
    none of their names spans columns.
    """
    ruled = _are_ruled(lines)
    one = max(1, head) if not ruled and not any(spans(line.cells) for line in lines[:head]) else 1
    rest = lines[one - 1 :]
    numbers, wide = numbered([line.cells for line in rest]), None if ruled else _wide_gap(rest)
    groups = [[*lines[:one]]]
    for before, line in pairwise(rest):
        starts = _gap(before, line) > wide if wide is not None else bool(line.cells[0])
        counts = any(is_number(line.cells[at]) and any(held.cells[at] for held in groups[-1]) for at in numbers)
        if line.above != before.above or (starts and not ruled) or counts:
            groups.append([])
        groups[-1].append(line)
    return groups


def _wide_gap(lines: Sequence[Line]) -> float | None:
    """Return the distance from which on the next line is another row's; None if all are alike, or each is whole."""
    found = sorted((_gap(above, line), all(line.cells)) for above, line in pairwise(lines) if above.above == line.above)
    jumps = [(after - before, (before + after) / 2) for (before, _), (after, _) in pairwise(found)]
    jump, wide = max(jumps, default=(0.0, 0.0))
    whole = [whole for gap, whole in found if gap <= wide]
    return wide if jump > _MORE * lines[0].row[0].size and 2 * sum(whole) <= len(whole) else None


def _gap(above: Line, line: Line) -> float:
    return max(one.base for one in above.row) - max(one.base for one in line.row)


def _with_shared(told: Sequence[list[str]], above: Sequence[int], flat: Sequence[int], block: Block) -> list[list[str]]:
    """Return the rows with what several share in each: no line is drawn between them in their column.

    `above` is how many of the lines at the heights `flat` are above each row. Rows that no lines divide share nothing,
    nor do those of which each has a text of its own.
    """
    rows = [list(row) for row in told]
    if len(rows) < _LEAST_SHARED or any(one >= after for one, after in pairwise(above)):
        return rows
    heights = [flat[-1 - lines] for lines in above[:-1]]
    for column, middle in enumerate(map(sum, block.columns)):
        across = [one.box.bottom for one in block.rules if one.flat and 2 * one.box.left <= middle <= 2 * one.box.right]
        ends = [row for row, height in enumerate(heights, 1) if any(abs(one - height) <= _EXACT for one in across)]
        for first, end in pairwise([0, *ends, len(rows)]):
            texts = [row[column] for row in told[first:end]]
            for row in rows[first:end]:
                row[column] = row[column] if all(texts) else " ".join(filter(None, texts))
    return rows
