"""Rows of a table whose cells may span columns and rows, each value with what its columns are called."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from selfrag.domain.errors import BadDocument

# Cells that span rows are repeated in each: three million tags could ask for a thousand times as many cells.
MAX_CELLS = 5_000_000

# The text of each cell of a row, and how many columns it spans.
Shown = Sequence[tuple[str, int]]


@dataclass(slots=True)
class TableCell:
    """The text of a cell; `wide` and `tall` are the columns and rows that it spans, `head` tells whether it names some.

    It stands in the next free column from `least` on.
    """

    text: str
    wide: int = 1
    tall: int = 1
    head: bool = False
    least: int = 0


class PlacedCell(NamedTuple):
    """A cell in one of its rows, in the columns from `first` to before `end`; it is in `rows` from this one on."""

    first: int
    end: int
    cell: TableCell
    rows: int

    @property
    def from_above(self) -> bool:
        """Return whether the cell begins in a row above."""
        return self.rows < self.cell.tall


@dataclass
class CellBudget:
    """Counts the cells of a document's tables, of which there may be `most`."""

    key: str
    most: int = MAX_CELLS
    cells: int = 0

    def spend(self, cells: int) -> None:
        """Raise BadDocument when there are too many."""
        self.cells += cells
        if self.cells > self.most:
            raise BadDocument(f"{self.key} has tables of more than {self.most:,} cells; split it into several files.")


def placed_cells(rows: Iterable[Sequence[TableCell]], budget: CellBudget) -> Iterator[list[PlacedCell]]:
    """Yield each row with the columns of its cells, and those that reach into it from above; raises BadDocument."""
    hanging: list[PlacedCell] = []
    for row in rows:
        placed, column, above = list[PlacedCell](), 0, iter([*hanging, None])
        next_above = next(above)
        for cell in row:
            column = max(column, cell.least)
            while next_above and next_above.first <= column:
                column, next_above = max(column, next_above.end), next(above)
            placed.append(PlacedCell(column, column + cell.wide, cell, cell.tall))
            column += cell.wide
        whole = sorted([*hanging, *placed], key=lambda item: item.first)
        budget.spend(sum(item.end - item.first for item in whole))
        yield whole
        hanging = [item._replace(rows=item.rows - 1) for item in whole if item.rows > 1]


class ColumnNames:
    """The names of columns, of which a cell may span several, from the rows of names above."""

    def __init__(self) -> None:
        self._names: list[dict[str, None]] = []

    def __len__(self) -> int:
        return len(self._names)

    def add(self, text: str, first: int, width: int = 1) -> None:
        """Take in a name of some columns, below those that they have."""
        self._names += [{} for _ in range(first + width - len(self._names))]
        for column in self._names[first : first + width] if text else ():
            column[text] = None

    def names(self, first: int, width: int = 1) -> dict[str, None]:
        """Return the names of some columns, each once, from the top."""
        return dict.fromkeys(name for column in self._names[first : first + width] for name in column)

    def name(self, first: int, width: int = 1) -> str:
        """Return the names of some columns as text; "" if they have none."""
        return ", ".join(self.names(first, width))


def named_rows(names: Iterable[Shown], rows: Iterable[Shown]) -> Iterator[tuple[Sequence[str], Sequence[str]]]:
    """Yield the names of the columns and the values of each row; a value that spans columns has the names of all.

    `names` are the rows that name the columns, from top to bottom. A value as wide as the table has no name.
    """
    called = ColumnNames()
    for row in names:
        for at, text, width in _placed(row):
            called.add(text, at, width)
    for row in rows:
        whole = len(called)
        headers = ["" if width > 1 and width >= whole else called.name(at, width) for at, _, width in _placed(row)]
        yield headers, [text for text, _ in row]


def _placed(row: Shown) -> Iterator[tuple[int, str, int]]:
    """Yield the first column of each cell, its text, and how many columns it spans."""
    at = 0
    for text, width in row:
        yield at, text, width
        at += width
