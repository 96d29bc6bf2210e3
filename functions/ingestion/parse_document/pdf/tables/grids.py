"""Tables: the names of their columns, and their rows, of which each may take several lines."""

from collections.abc import Sequence
from dataclasses import dataclass

from ingestion.parse_document.pdf.shapes import Box, around
from ingestion.parse_document.pdf.tables.blocks import Block
from ingestion.parse_document.pdf.tables.cells import Columns, Row
from ingestion.parse_document.pdf.tables.frames import flat_lines
from ingestion.parse_document.pdf.tables.grouping import groups_of, head_lines
from ingestion.parse_document.pdf.tables.heads import heads, spread
from ingestion.parse_document.pdf.tables.shared import with_shared
from ingestion.parse_document.pdf.text.paragraphs import put_together
from ingestion.parse_document.pdf.text.vocabulary import Vocabulary, word_over_lines

_SHARE = 0.25  # of the lines of a table that have two cells or more


@dataclass(slots=True)
class Grid:
    """A table: the lines of its columns' names, and the values of each row under them; "" where there is none.

    `lefts` are where its columns begin; `sure` tells whether its looks say what the head is, not only its words, and
    `framed` whether lines are drawn between its rows.
    """

    box: Box
    head: list[list[str]]
    rows: list[list[str]]
    lefts: list[float]
    sure: bool
    framed: bool
    caption: str = ""

    @property
    def names(self) -> list[str]:
        """Return what each column is called, from the outermost name on; nothing where that is not certain."""
        if not self.head:
            return [""] * len(self.lefts)
        return [", ".join(dict.fromkeys(filter(None, column))) for column in zip(*self.head, strict=True)]


def grid_of(block: Block, words: Vocabulary) -> Grid | None:
    """Return a block's lines as a table, None if they are none."""
    box = around([one.box for row in block.rows for one in row])
    flat = flat_lines(block.rules, box.width / 2)
    columns = _filled(block)
    lines = [(_cells(row, columns), row) for row in block.rows]
    head = head_lines(lines, flat)
    if not head and len(flat) < 3 and sum(sum(map(bool, cells)) > 1 for cells, _ in lines) < _SHARE * len(lines):
        return None
    groups = groups_of(lines, flat, head)
    told = [joined_cells([cells for cells, _ in group], words) for group in groups]
    if not all(rule.flat for rule in block.rules):
        told = with_shared(told, groups, flat, block.rules, columns)
    names, sure = heads(told, groups, head, len(flat) >= 3)
    above = [spread(cells, group, columns) for cells, group in zip(told[: max(0, names - 1)], groups, strict=False)]
    return Grid(
        box,
        [*above, *told[max(0, names - 1) : names]],
        told[names:],
        [left for left, _ in columns],
        sure,
        len(flat) >= 3,
    )


def _filled(block: Block) -> Columns:
    """Return the columns in which something stands: between the lines of a double one nothing does."""
    filled = [any(column) for column in zip(*(_cells(row, block.columns) for row in block.rows), strict=True)]
    return [column for column, holds in zip(block.columns, filled, strict=True) if holds]


def _cells(row: Row, columns: Sequence[tuple[float, float]]) -> list[str]:
    """Return what stands in each column; what spans several stands in each of them."""
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


def joined_cells(lines: Sequence[list[str]], words: Vocabulary) -> list[str]:
    """Return the lines of a row as one: what stands in each column."""
    told = list(lines[0])
    for cells in lines[1:]:
        told = [
            _cell_of(one, more, words) if one and more else one or more for one, more in zip(told, cells, strict=True)
        ]
    return told


def _cell_of(before: str, after: str, words: Vocabulary) -> str:
    """Two lines of a cell as one: a word that was too long for it goes on in the next line."""
    word = word_over_lines(before, after, hyphened=False)
    if word and words.is_cut(*word):
        return before + after
    return put_together(before, after, words)
