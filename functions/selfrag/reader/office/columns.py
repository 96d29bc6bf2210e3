"""The rows of a table that name its columns."""

from collections.abc import Sequence
from itertools import takewhile

from selfrag.domain.tables import Shown
from selfrag.reader.column_names import look_like_names
from selfrag.reader.office.blocks import Cell, Grid, Paragraph


def names_of(grid: Grid, shown: Sequence[Shown]) -> Sequence[Shown]:
    """The rows at the top that name the columns: those that the table says, else a first row that looks like names."""
    said = len(list(takewhile(lambda line: line.header, grid.lines)))
    if said or grid.first is False:
        return shown[:said]
    return shown[:1] if grid.first or _looks_like_names(grid, shown) else []


def _looks_like_names(grid: Grid, shown: Sequence[Shown]) -> bool:
    """Return whether the first row alone is bold or, where nothing is, its texts look like names."""
    bold = [all(_bold(cell) for cell in line.cells if cell.blocks) for line in grid.lines]
    if any(_bold(cell) for line in grid.lines for cell in line.cells if cell.blocks):
        return bold[0] and not all(bold)
    first, *below = ([text for text, _ in row] for row in shown)
    return look_like_names(first, below, grid.likely)


def _bold(cell: Cell) -> bool:
    return all(isinstance(block, Paragraph) and block.bold for block in cell.blocks)
