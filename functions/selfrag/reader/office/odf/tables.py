"""The tables of an OpenDocument file: cells that are covered by others stand in it, empty."""

from dataclasses import dataclass, field

from selfrag.reader.office.numbering import whole
from selfrag.reader.office.story import MAX_COLUMNS, Story
from selfrag.reader.zipped import attribute


@dataclass
class _Table:
    at: int = 0
    header: bool = False
    reaching: dict[int, tuple[int, int]] = field(default_factory=dict)  # by column: how many rows on, and how wide


class Tables:
    """Follows the tables that are open."""

    def __init__(self) -> None:
        self._open: list[_Table] = []

    def begin(self, story: Story) -> None:
        """A table, which may stand in a cell of another one."""
        self._open.append(_Table())
        story.begin_table()

    def head(self, header: bool) -> None:
        """The rows that follow are headers, or no longer."""
        if self._open:
            self._open[-1].header = header

    def begin_row(self, story: Story) -> None:
        """A row of the table that is open."""
        if self._open:
            self._open[-1].at = 0
        story.begin_row(bool(self._open) and self._open[-1].header)

    def begin_cell(self, said: dict[str, str], story: Story) -> None:
        """A cell of the row that is open."""
        width, rows = _number(said, "number-columns-spanned"), _number(said, "number-rows-spanned")
        times = _number(said, "number-columns-repeated")
        if self._open:
            table = self._open[-1]
            if rows > 1:
                table.reaching[table.at] = (rows - 1, width)
            table.at += times
        story.begin_cell(max(width, times))

    def cover(self, said: dict[str, str], story: Story) -> None:
        """A cell that is covered by the one above or on its left."""
        if not self._open:
            return
        table = self._open[-1]
        for _ in range(_number(said, "number-columns-repeated")):
            rows, width = table.reaching.get(table.at, (0, 0))
            if rows:
                table.reaching[table.at] = (rows - 1, width)
                story.begin_cell(width, on=True)
                story.end_cell()
            table.at += 1

    def end(self, name: str, story: Story) -> None:
        """End what began with one of the names of tables."""
        if name == "table-cell":
            story.end_cell()
        elif name == "table-row":
            story.end_row()
        elif name == "table-header-rows":
            self.head(False)
        elif name == "table":
            self._open.pop()
            story.end_table()


def _number(said: dict[str, str], name: str) -> int:
    return max(1, min(whole(attribute(said, name)), MAX_COLUMNS)) if attribute(said, name) else 1
