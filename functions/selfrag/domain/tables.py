"""Table rows with merged cells: each value with the names of its columns."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from selfrag.domain.errors import BadDocument

# Vertically merged cells are repeated: three million tags could demand a thousand times as many cells.
MAX_CELLS = 5_000_000

# A row's cells: text and number of columns.
Shown = Sequence[tuple[str, int]]


@dataclass(slots=True)
class TableCell:
    """A cell's text; `wide` and `tall` are its columns and rows, and `head` marks a heading.

    It is placed in the next free column from `least` on.
    """

    text: str
    wide: int = 1
    tall: int = 1
    head: bool = False
    least: int = 0


class PlacedCell(NamedTuple):
    """A cell in one of its rows, in columns `first` to before `end`, with `rows` remaining rows."""

    first: int
    end: int
    cell: TableCell
    rows: int

    @property
    def is_continued(self) -> bool:
        """Return whether the cell begins in a row above."""
        return self.rows < self.cell.tall


@dataclass
class CellBudget:
    """Limits the cells of a document's tables to `most`."""

    key: str
    most: int = MAX_CELLS
    cells: int = 0

    def spend(self, cells: int) -> None:
        """Raise BadDocument if there are too many."""
        self.cells += cells
        if self.cells > self.most:
            raise BadDocument(f"{self.key} has tables of more than {self.most:,} cells; split it into several files.")


def placed_cells(rows: Iterable[Sequence[TableCell]], budget: CellBudget) -> Iterator[list[PlacedCell]]:
    """Yield each row's cells by column, including those that span from above; raises BadDocument."""
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
    """Column names from one or more header rows with merged cells."""

    def __init__(self) -> None:
        self._names: list[dict[str, None]] = []

    def __len__(self) -> int:
        return len(self._names)

    def add(self, text: str, first: int, width: int = 1) -> None:
        """Add a name to some columns, below their existing names."""
        self._names += [{} for _ in range(first + width - len(self._names))]
        for column in self._names[first : first + width] if text else ():
            column[text] = None

    def names(self, first: int, width: int = 1) -> dict[str, None]:
        """Return the distinct names of some columns, top down."""
        return dict.fromkeys(name for column in self._names[first : first + width] for name in column)

    def name(self, first: int, width: int = 1) -> str:
        """Return the names of some columns as text, or ""."""
        return ", ".join(self.names(first, width))


def named_rows(names: Iterable[Shown], rows: Iterable[Shown]) -> Iterator[tuple[Sequence[str], Sequence[str]]]:
    """Yield column names and values of each row; a merged value has the names of all its columns.

    `names` are the header rows from top to bottom. A value as wide as the table has no name.
    """
    called = ColumnNames()
    for row in names:
        for at, text, width in _place_cells(row):
            called.add(text, at, width)
    for row in rows:
        whole = len(called)
        headers = ["" if width > 1 and width >= whole else called.name(at, width) for at, _, width in _place_cells(row)]
        yield headers, [text for text, _ in row]


def _place_cells(row: Shown) -> Iterator[tuple[int, str, int]]:
    """Yield the first column of each cell, its text, and how many columns it spans."""
    at = 0
    for text, width in row:
        yield at, text, width
        at += width
