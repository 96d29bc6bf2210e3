"""The columns of a table's cells, and their names."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from selfrag.domain.errors import BadDocument

MAX_SPAN = 1000  # browsers stop there, too
# Cells that span rows are repeated in each: three million tags could ask for a thousand times as many cells.
MAX_CELLS = 5_000_000


@dataclass(frozen=True, slots=True)
class Cell:
    """The text of a cell; `wide` and `tall` are the columns and rows that it spans."""

    text: str
    is_header: bool = False
    wide: int = 1
    tall: int = 1


@dataclass(frozen=True, slots=True)
class Placed:
    """A cell, and the columns from `first` to before `end` in which it stands; it hangs into `more` rows below."""

    first: int
    end: int
    cell: Cell
    more: int


@dataclass
class Budget:
    """The cells that the tables of a document may still have."""

    key: str
    cells: int = MAX_CELLS

    def spend(self, cells: int) -> None:
        """Raise BadDocument when there are too many."""
        self.cells -= cells
        if self.cells < 0:
            raise BadDocument(f"{self.key} has tables of more than {MAX_CELLS:,} cells; split it into several files.")


@dataclass
class Columns:
    """The names of columns, from the rows of headings above; a name that no row has shown yet is `unseen`."""

    names: dict[int, list[str]] = field(default_factory=dict)
    unseen: dict[str, None] = field(default_factory=dict)

    def add(self, row: list[Placed]) -> None:
        """Take in a row of headings, below those that are known."""
        for placed in row:
            if placed.cell.text:
                self.unseen[placed.cell.text] = None
                for column in range(placed.first, placed.end):
                    self.names.setdefault(column, []).append(placed.cell.text)

    def name(self, placed: Placed) -> str:
        """Return the names of the columns in which a cell stands, each once, from the top."""
        columns = range(placed.first, placed.end)
        return ", ".join(dict.fromkeys(name for column in columns for name in self.names.get(column, ())))

    def show(self, placed: Placed) -> None:
        """Remember that a row shows the names of this cell's columns."""
        for column in range(placed.first, placed.end):
            for name in self.names.get(column, ()):
                self.unseen.pop(name, None)


def placed_cells(rows: Iterable[list[Cell]], budget: Budget) -> Iterator[list[Placed]]:
    """Each row with the columns of its cells, and those that hang into it from above."""
    hanging: list[Placed] = []
    for row in rows:
        placed, column, above = list[Placed](), 0, iter([*hanging, None])
        next_above = next(above)
        for cell in row:
            while next_above and next_above.first <= column:
                column, next_above = max(column, next_above.end), next(above)
            placed.append(Placed(column, column + cell.wide, cell, cell.tall))
            column += cell.wide
        whole = sorted([*hanging, *placed], key=lambda one: one.first)
        budget.spend(sum(one.end - one.first for one in whole))
        yield whole
        hanging = [Placed(one.first, one.end, one.cell, one.more - 1) for one in whole if one.more > 1]
