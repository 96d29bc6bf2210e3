"""A workbook's sheets as they were read: the values of their cells, and what is hidden and merged."""

from dataclasses import dataclass, field

from selfrag.reader.archive import LimitExceeded

MAX_ROW, MAX_COLUMN = 1_048_576, 16_384
MAX_CELLS = 1_000_000  # of a workbook, with a value; each takes some 100 bytes


@dataclass(frozen=True)
class MergedCells:
    """Cells that are one, by their first and last rows and columns, counted from 1 and 0."""

    top: int
    left: int
    bottom: int
    right: int


@dataclass
class WorkbookSheet:
    """The values by row, counted from 1, and column, counted from 0.

    Hidden rows and columns have theirs, too; a hidden sheet has none.
    """

    name: str
    hidden: bool = False
    rows: dict[int, dict[int, str]] = field(default_factory=dict)
    merged: list[MergedCells] = field(default_factory=list)
    hidden_rows: set[int] = field(default_factory=set)
    hidden_columns: set[int] = field(default_factory=set)
    without_value: int = 0
    charts: list[str] = field(default_factory=list)
    unseen: int = 0  # cells whose format shows nothing

    def hide_columns(self, first: int, last: int) -> None:
        """Note that these columns are hidden."""
        if first >= 0 and first not in self.hidden_columns:  # else somebody wants it to take long
            self.hidden_columns.update(range(first, min(last + 1, MAX_COLUMN)))


class Cells:
    """Counts the values of a workbook, which are held until its merged cells are known."""

    def __init__(self) -> None:
        self._left = MAX_CELLS

    def put(self, sheet: WorkbookSheet, row: int, column: int, value: str) -> None:
        """Note a value; raises LimitExceeded."""
        if value.strip():
            self._left -= 1
            if self._left < 0:
                raise LimitExceeded(f"has more than {MAX_CELLS:,} cells with a value; split it into several files")
            sheet.rows.setdefault(row, {})[column] = value
