"""The rows of a table with the names of their columns, as web pages lay tables out."""

from collections.abc import Iterable

from selfrag.domain.writing import Writer
from selfrag.reader.web.columns import Budget, Cell, Columns, Placed, placed_cells


class TableWriter:
    """Writes the rows of one table, which may have other headings further down."""

    def __init__(self, writer: Writer, budget: Budget) -> None:
        self._writer = writer
        self._budget = budget
        self._columns = Columns()
        self._group = ""
        self._was_heading = False
        self._counted = 0

    def write(self, caption: str, rows: Iterable[list[Cell]]) -> None:
        """Write a table with its caption; rows below a heading that is alone on its row, a group, begin with it.

        Rows are called by their number, as who counts them below the first headings finds them.
        Raises BadDocument when there are too many cells.
        """
        with self._writer.table(caption):
            if caption:
                self._writer.line(caption)
            for row in placed_cells(rows, self._budget):
                self._write_row(row)
            self._name_the_rest()

    def _write_row(self, row: list[Placed]) -> None:
        cells = [placed.cell for placed in row if placed.cell.text]
        is_heading = bool(cells) and all(placed.cell.is_header for placed in row)
        is_group = is_heading and len(row) == 1 and (row[0].cell.wide > 1 or len(self._columns.names) > 1)
        if is_group:
            self._group = cells[0].text
            self._writer.line(self._group)
        elif is_heading:
            if not self._was_heading:
                self._name_the_rest()
                self._columns = Columns()
            self._columns.add(row)
        elif cells:
            names, values = self._pairs(row)
            self._counted += 1
            self._writer.row(names, values, f"row {self._counted}")
        self._was_heading = is_heading and not is_group

    def _pairs(self, row: list[Placed]) -> tuple[list[str], list[str]]:
        """Return the names and values of a row; its own heading is the name of what follows if the column has none."""
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
