"""Tables: the names of their columns, and their rows, of which each may take several lines."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from ingestion.parse_document.pdf.shapes import around
from ingestion.parse_document.pdf.tables.blocks import Block, Columns, Row
from ingestion.parse_document.pdf.tables.frames import flat_lines
from ingestion.parse_document.pdf.tables.heads import names_of
from ingestion.parse_document.pdf.tables.rows import Line, groups_of, head_lines, with_shared
from ingestion.parse_document.pdf.text.paragraphs import put_together
from ingestion.parse_document.pdf.text.vocabulary import Vocabulary

_SHARE = 0.25  # of the lines of a table that have two cells or more


@dataclass(slots=True)
class Grid:
    """A table: what each column is called, "" where that is not certain, and the values of each row."""

    names: list[str]
    rows: list[list[str]]
    caption: str = ""


def grid_of(block: Block, words: Vocabulary) -> Grid | None:
    """Return a block's lines as a table, None if they are none."""
    columns, width = block.columns, around([one.box for row in block.rows for one in row]).width
    flat = flat_lines(block.rules, width / 2)
    above = [sum(row[0].box.bottom + 1 < height for height in flat) for row in block.rows]
    lines = [Line(_cells(row, columns), row, count) for row, count in zip(block.rows, above, strict=True)]
    head = head_lines(lines)
    if not head and sum(sum(map(bool, line.cells)) > 1 for line in lines) < _SHARE * len(lines):
        return None
    groups = groups_of(lines, head)
    told = [reduce(lambda one, more: _joined(one, more, words), (line.cells for line in group)) for group in groups]
    told = with_shared(told, groups, flat, block.rules, columns)
    names = names_of(told, groups, head, columns)
    called = [", ".join(dict.fromkeys(filter(None, column))) for column in zip(*names, strict=True)]
    return Grid(called or [""] * len(columns), told[len(names) :])


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


def _joined(cells: Sequence[str], more: Sequence[str], words: Vocabulary) -> list[str]:
    """Return two lines of a row as one."""
    both = zip(cells, more, strict=True)
    return [put_together(one, after, words, cell=True) if one and after else one or after for one, after in both]
