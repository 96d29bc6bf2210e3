"""Table rows, which may span several lines, and column names."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import NamedTuple

from selfrag.reader.column_names import YEAR
from selfrag.reader.pdf.shapes import around
from selfrag.reader.pdf.tables.blocks import Block, Columns, Row
from selfrag.reader.pdf.tables.frames import flat_lines
from selfrag.reader.pdf.text.paragraphs import PdfParagraph, Words

_MORE = 0.1  # of the size: minimum extra gap between rows
_SHARE = 0.25  # share of a table's lines with two or more cells
# An unfinished text: it ends in a mark or word that needs a continuation.
_OPEN = re.compile(
    r"(?:[-,/&(]|\b(?:a|an|and|at|by|for|from|in|of|on|or|the|to|with|das|dem|den|der|des|die|ein|eine|für|im|in|mit|oder"
    r"|und|von|vom|zu|zum|zur|de|des|du|et|la|le|les|el|y))$"
)
_MIN_SHARED = 3  # rows
_EXACT = 4  # points: heights of lines are rounded to 3
_LONGEST = 120  # maximum characters of a name; longer text is a sentence
_MAX_ENDS = 8  # lines of a page that may end a row
_ALIGNED = 2  # points by which columns may begin apart on two pages
_BEYOND = 3  # sizes by which a group heading exceeds the first column
_OFF = 9  # tolerance in points for centred names
_NUMBER = re.compile(r"[\W\d]*\d[\W\d]*\w{0,3}")


class TableLine(NamedTuple):
    """A table line: text by column, segments, and the number of drawn lines above."""

    cells: list[str]
    row: Row
    above: int


def names_of(
    rows: Sequence[list[str]], groups: Sequence[Sequence[TableLine]], head: int, at: Columns
) -> list[list[str]]:
    """Return the header rows, none if uncertain; `at` are the columns.

    Headers are the first `head` lines above a drawn line, rows above the first number of a numeric column, bold rows,
    or proportional rows above monospaced ones. A value never becomes a name.
    """
    bold = [all(segment.bold for line in group for segment in line.row) for group in groups]
    fixed = [any(segment.fixed for line in group for segment in line.row) for group in groups]
    letters = all(fixed[1:]) and not fixed[0] and len(groups[0]) == 1 and len(groups[0][0].row) == len(at)
    head_rows = next((at for at, lines in enumerate(accumulate(map(len, groups)), 1) if lines >= head > 0), 0)
    depth = _depth(rows, head_rows, (bold[0] and not all(bold)) or letters)
    above = max(0, depth - 1)
    return [*(_spread_names(rows[row], groups[row], at) for row in range(above)), *rows[above:depth]]


def _depth(rows: Sequence[Sequence[str]], head: int, apart: bool) -> int:
    columns = numeric_columns([["" if YEAR.fullmatch(cell) else cell for cell in cells] for cells in rows])
    values = [2 * sum(is_number(cells[at]) for at in columns) >= len(columns) for cells in rows]
    first = values.index(True) if columns and True in values else len(rows)
    depth = head or (first if columns else int(apart))
    while 0 < depth < first and (
        spans(rows[depth - 1]) or (first < len(rows) and not _are_named(rows[:depth], columns))
    ):
        depth += 1
    depth = min(depth, first)
    names = [cell for cells in rows[:depth] for cell in cells if not YEAR.fullmatch(cell)]
    certain = (head or not any(map(is_number, names))) and all(len(name) <= _LONGEST for name in names)
    return depth if certain and depth < len(rows) and _are_named(rows[:depth], columns) else 0


def _are_named(head: Sequence[Sequence[str]], columns: Sequence[int]) -> bool:
    return all(any(cells[column] for cells in head) for column in columns)


def is_number(cell: str) -> bool:
    """Return whether a cell is a value with its unit."""
    return _NUMBER.fullmatch(cell) is not None


def numeric_columns(rows: Sequence[Sequence[str]]) -> list[int]:
    """Return the columns after the first that hold mostly numbers."""
    filled = [list(filter(None, column)) for column in zip(*rows, strict=True)]
    return [at for at, cells in enumerate(filled) if at and 2 * sum(map(is_number, cells)) > len(cells)]


def spans(cells: Sequence[str]) -> bool:
    """Return whether a name spans two columns."""
    return any(name and name == other for name, other in pairwise(cells))


def _spread_names(cells: Sequence[str], group: Sequence[TableLine], columns: Columns) -> list[str]:
    """Repeat each name over all columns that it is centred on, except columns with other names."""
    spread = list(cells)
    centres = {segment.text: (segment.box.left + segment.box.right) / 2 for line in group for segment in line.row}
    for text in dict.fromkeys(filter(None, cells)):
        if cells.count(text) != sum(map(text.__eq__, spread)) or text not in centres:
            continue
        first, end = cells.index(text), len(cells) - list(reversed(cells)).index(text)
        least = max((at for at in range(first) if spread[at]), default=0) + 1
        most = min((at for at in range(end, len(cells)) if cells[at]), default=len(cells))
        over = [(left, right) for left in range(least, first + 1) for right in range(end, most + 1)]
        off = {span: abs(columns[span[0]][0] + columns[span[1] - 1][1] - 2 * centres[text]) / 2 for span in over}
        centred = (span for span in over if off[span] <= _OFF)
        left, right = max(centred, key=lambda span: span[1] - span[0], default=(first, end))
        spread[left:right] = [text] * (right - left)
    return spread


@dataclass(slots=True)
class PdfTable:
    """Column names ("" if uncertain), rows of values and column positions.

    A row of one value is a group heading.
    """

    names: list[str]
    rows: list[list[str]]
    lefts: list[float]
    caption: str = ""

    def go_on(self, table: "PdfTable", above: Sequence[PdfParagraph], words: Words) -> int:
        """Continue the previous table if the columns align: take its names and complete its last row.

        Return how many paragraphs above belong to that row.
        """
        nearest = [min(range(len(table.lefts)), key=lambda at: abs(left - table.lefts[at])) for left in self.lefts]
        near = (abs(left - table.lefts[at]) <= _ALIGNED for left, at in zip(self.lefts, nearest, strict=True))
        if not all(near) or (any(self.names) and self.names != table.names):
            return 0
        above = () if any(self.names) else above
        ends = [[end.text * (abs(end.left - left) <= _ALIGNED) for left in table.lefts] for end in above]
        if not any(self.names):
            cells = [dict(zip(nearest, row, strict=False)) for row in self.rows]
            columns = range(len(table.lefts))
            self.rows = [
                row if len(row) == 1 else [held.get(at, "") for at in columns]
                for row, held in zip(self.rows, cells, strict=True)
            ]
            self.names, self.lefts = table.names, table.lefts
        rows, taken = [*ends, *self.rows[:-1]][:_MAX_ENDS], 0
        while rows[taken:] and _is_end_of_row(rows[taken], table.rows, self.rows[2:]):
            table.rows[-1] = [_join(cells, words) for cells in zip(table.rows[-1], rows[taken], strict=True)]
            taken += 1
        del self.rows[: max(0, taken - len(ends))]
        return min(taken, len(ends))


def _is_end_of_row(row: Sequence[str], before: Sequence[Sequence[str]], after: Sequence[Sequence[str]]) -> bool:
    """Return whether a row only continues the previous one: it lacks a column that is otherwise filled."""
    alike = [other for other in (*before, *after) if len(other) == len(row)]
    values = [(value, above) for value, above in zip(row, before[-1], strict=False) if value]
    goes_on = all(above and not is_number(value) and not is_number(above) for value, above in values)
    # A capital starts a new row, unless the text above is unfinished.
    begun = ((value[0].isalpha() and not value[0].isupper()) or _OPEN.search(above) for value, above in values)
    lacks = any(not value and all(column) for value, *column in zip(row, *alike, strict=True))
    fits = len(row) == len(before[-1]) > len(values) > 0 and len(alike) >= _MIN_SHARED
    return fits and goes_on and all(begun) and lacks


def table_of(block: Block, words: Words) -> PdfTable | None:
    """Return a block as a table, or None; a value never becomes a name."""
    flat = flat_lines(block.rules, around([segment.box for row in block.rows for segment in row]).width / 2)
    above = [sum(row[0].box.bottom + 1 < height for height in flat) for row in block.rows]
    lines = [TableLine(_cells(row, block.columns), row, over) for row, over in zip(block.rows, above, strict=True)]
    head = _head_lines(lines)
    if not head and sum(sum(map(bool, line.cells)) > 1 for line in lines) < _SHARE * len(lines):
        return None
    groups = _groups_of(lines, head)
    rows = [[_join(column, words) for column in zip(*(line.cells for line in group), strict=True)] for group in groups]
    rows = _copy_merged(rows, [group[0].above for group in groups], flat, block)
    names = names_of(rows, groups, head, block.columns)
    columns = [", ".join(dict.fromkeys(filter(None, column))) for column in zip(*names, strict=True)]
    below = [
        row[:1] if _names_a_group(group, block.columns) else row
        for row, group in zip(rows[len(names) :], groups[len(names) :], strict=True)
    ]
    return PdfTable(columns or [""] * len(block.columns), below, [left for left, _ in block.columns])


def _names_a_group(group: Sequence[TableLine], columns: Columns) -> bool:
    """Return whether a row is a bold line from the first column far beyond it."""
    (first, *others), *more = (line.row for line in group)
    edge = columns[0][1]
    return not others and not more and first.bold and first.box.left < edge < first.box.right - _BEYOND * first.size


def _cells(row: Row, columns: Columns) -> list[str]:
    """Return the text by column; text that spans columns is repeated in each."""
    cells = [""] * len(columns)
    for segment in row:
        columns_met = [
            at
            for at, (left, right) in enumerate(columns)
            if min(segment.box.right, right) - max(segment.box.left, left) > 0.3 * min(segment.box.width, right - left)
            and not any(segment.box.left < other.box.left and left <= other.box.left < right for other in row)
        ]
        nearest = min(range(len(columns)), key=lambda at: abs(sum(columns[at]) - segment.box.left - segment.box.right))
        for at in columns_met or [nearest]:
            cells[at] = f"{cells[at]} {segment.text}".strip()
    return cells


def _join(texts: Sequence[str], words: Words) -> str:
    """Join the lines of a cell."""
    cell = ""
    for text in filter(None, texts):
        cell = words.put_together(cell, text, cell=True) if cell else text
    return cell


def _head_lines(lines: Sequence[TableLine]) -> int:
    """Return the number of lines above the line that separates head and body, or 0.

    Several lines with numbers are rows above a sum.
    """
    head = sum(line.above == lines[0].above for line in lines)
    if 2 * head > len(lines) and not _are_ruled(lines):
        return 0
    return head if head == 1 or not any(is_number(cell) for line in lines[:head] for cell in line.cells) else 0


def _are_ruled(lines: Sequence[TableLine]) -> bool:
    """Return whether lines separate the rows, not only the head."""
    return len({line.above for line in lines}) > 2


def _groups_of(lines: Sequence[TableLine], head: int) -> list[list[TableLine]]:
    """Group lines into rows: by drawn lines, wide gaps or filled first cells.

    A number below another value of a numeric column starts a row. The `head` lines are one row unless a name spans
    columns.
    """
    ruled = _are_ruled(lines)
    first = max(1, head) if not ruled and not any(spans(line.cells) for line in lines[:head]) else 1
    rest = lines[first - 1 :]
    numbers, wide = numeric_columns([line.cells for line in rest]), None if ruled else _wide_gap(rest)
    groups = [[*lines[:first]]]
    for before, line in pairwise(rest):
        starts = _gap(before, line) > wide if wide is not None else bool(line.cells[0])
        counts = any(is_number(line.cells[at]) and any(held.cells[at] for held in groups[-1]) for at in numbers)
        if line.above != before.above or (starts and not ruled) or counts:
            groups.append([])
        groups[-1].append(line)
    return groups


def _wide_gap(lines: Sequence[TableLine]) -> float | None:
    """Return the minimum gap between rows, or None if all gaps are alike or each line is a full row."""
    gaps = sorted((_gap(above, line), all(line.cells)) for above, line in pairwise(lines) if above.above == line.above)
    jumps = [(after - before, (before + after) / 2) for (before, _), (after, _) in pairwise(gaps)]
    jump, wide = max(jumps, default=(0.0, 0.0))
    whole = [whole for gap, whole in gaps if gap <= wide]
    return wide if jump > _MORE * lines[0].row[0].size and 2 * sum(whole) <= len(whole) else None


def _gap(above: TableLine, line: TableLine) -> float:
    return max(segment.base for segment in above.row) - max(segment.base for segment in line.row)


def _copy_merged(rows: Sequence[list[str]], above: Sequence[int], flat: Sequence[int], block: Block) -> list[list[str]]:
    """Copy vertically merged cells to their rows: no line separates these in that column.

    `above` counts the lines at the heights `flat` above each row. Unruled rows share nothing, nor do rows with separate
    values.
    """
    shared = [list(row) for row in rows]
    if len(shared) < _MIN_SHARED or any(before >= after for before, after in pairwise(above)):
        return shared
    heights = [flat[-1 - lines] for lines in above[:-1]]
    for column, middle in enumerate(map(sum, block.columns)):
        drawn = (rule.box for rule in block.rules if rule.flat)
        across = [line.bottom for line in drawn if 2 * line.left <= middle <= 2 * line.right]
        is_end = [any(abs(bottom - height) <= _EXACT for bottom in across) for height in heights]
        ends = [row for row, ends_here in enumerate(is_end, 1) if ends_here]
        for first, end in pairwise([0, *ends, len(shared)]):
            texts = [row[column] for row in rows[first:end]]
            for row in shared[first:end]:
                row[column] = row[column] if all(texts) else " ".join(filter(None, texts))
    return shared
