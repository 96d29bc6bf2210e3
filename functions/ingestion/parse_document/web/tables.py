"""The rows of a table with the names of their columns, as Markdown and web pages lay tables out."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from ingestion.parse_document.writing import Writer
from selfrag.domain.errors import BadDocument

MAX_SPAN = 1000  # browsers stop there, too
# Cells that span rows are repeated in each: three million tags could ask for a thousand times as many cells.
MAX_CELLS = 5_000_000


@dataclass(frozen=True)
class Cell:
    """What stands in a cell; `wide` and `tall` are the columns and rows that it spans."""

    text: str
    is_header: bool = False
    wide: int = 1
    tall: int = 1


@dataclass(frozen=True)
class _Placed:
    """A cell, and the columns from `first` to before `end` in which it stands; it hangs into `more` rows below."""

    first: int
    end: int
    cell: Cell
    more: int


@dataclass
class Budget:
    """How many more cells the tables of a document may have."""

    key: str
    cells: int = MAX_CELLS

    def spend(self, cells: int) -> None:
        """Raise BadDocument when there are too many."""
        self.cells -= cells
        if self.cells < 0:
            raise BadDocument(f"{self.key} has tables of more than {MAX_CELLS:,} cells; split it into several files.")


@dataclass
class _Columns:
    """What the columns are called, from the rows of headings above; each name that no row has shown yet is `unseen`."""

    names: dict[int, list[str]] = field(default_factory=dict)
    unseen: dict[str, None] = field(default_factory=dict)

    def add(self, row: list[_Placed]) -> None:
        """Take in a row of headings, below those that are known."""
        for placed in row:
            if placed.cell.text:
                self.unseen[placed.cell.text] = None
                for column in range(placed.first, placed.end):
                    self.names.setdefault(column, []).append(placed.cell.text)

    def name(self, placed: _Placed) -> str:
        """The names of the columns in which a cell stands, each once, from the top."""
        columns = range(placed.first, placed.end)
        return ", ".join(dict.fromkeys(name for column in columns for name in self.names.get(column, ())))

    def show(self, placed: _Placed) -> None:
        """Remember that a row shows the names of this cell's columns."""
        for column in range(placed.first, placed.end):
            for name in self.names.get(column, ()):
                self.unseen.pop(name, None)


class TableWriter:
    """Writes the rows of one table, which may have other headings further down."""

    def __init__(self, writer: Writer, budget: Budget) -> None:
        self._writer = writer
        self._budget = budget
        self._columns = _Columns()
        self._group = ""
        self._was_heading = False

    def write(self, caption: str, rows: list[list[Cell]]) -> None:
        """Write a table with its caption; a heading alone on its row is the caption if there is none, else a group.

        The rows below a group begin with it. Raises BadDocument when there are too many cells.
        """
        placed = list(_placed(rows, self._budget))
        if not caption and len(placed) > 1 and _is_alone(rows[0]):
            caption, placed = rows[0][0].text, placed[1:]
        with self._writer.table(caption):
            if caption:
                self._writer.line(caption)
            for row in placed:
                self._write_row(row)
            self._name_the_rest()

    def _write_row(self, row: list[_Placed]) -> None:
        cells = [placed.cell for placed in row if placed.cell.text]
        is_heading = bool(cells) and all(cell.is_header for cell in cells)
        if is_heading and _is_alone([placed.cell for placed in row]):
            self._group = cells[0].text
            self._writer.line(self._group)
        elif is_heading and len(cells) > 1:
            if not self._was_heading:
                self._name_the_rest()
                self._columns = _Columns()
            self._columns.add(row)
        elif cells:
            names, values = self._pairs(row)
            self._writer.row(names, values)
        self._was_heading = is_heading and len(cells) > 1

    def _pairs(self, row: list[_Placed]) -> tuple[list[str], list[str]]:
        """The names and values of a row; its own heading is the name of what follows if the column has none."""
        pairs = [("", self._group)]
        own = ""
        for placed in row:
            name, text = self._columns.name(placed), placed.cell.text
            if not text:
                continue
            self._columns.show(placed)
            if own and (name or placed.cell.is_header):
                pairs.append(("", own))
                own = ""
            if placed.cell.is_header and not name:
                own = text
            else:
                pairs.append((name or own, text))
                own = ""
        pairs.append(("", own))
        return [name for name, _ in pairs], [value for _, value in pairs]

    def _name_the_rest(self) -> None:
        """Write the headings of columns in which nothing stood: they are words of the page, too."""
        if self._columns.unseen:
            self._writer.line(", ".join(self._columns.unseen))


def _is_alone(row: list[Cell]) -> bool:
    """Whether a row is one heading across the table."""
    return len(row) == 1 and row[0].is_header and row[0].wide > 1 and bool(row[0].text)


def _placed(rows: list[list[Cell]], budget: Budget) -> Iterator[list[_Placed]]:
    """Each row with the columns of its cells, and those that hang into it from above."""
    hanging: list[_Placed] = []
    for row in rows:
        placed, column, above = list[_Placed](), 0, iter([*hanging, None])
        next_above = next(above)
        for cell in row:
            while next_above and next_above.first <= column:
                column, next_above = max(column, next_above.end), next(above)
            placed.append(_Placed(column, column + cell.wide, cell, cell.tall))
            column += cell.wide
        whole = sorted([*hanging, *placed], key=lambda one: one.first)
        budget.spend(sum(one.end - one.first for one in whole))
        yield whole
        hanging = [_Placed(one.first, one.end, one.cell, one.more - 1) for one in whole if one.more > 1]
