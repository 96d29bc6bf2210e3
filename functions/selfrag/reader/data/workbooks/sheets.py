"""A workbook as a document: each sheet a part, with tables where blank rows and columns divide."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from selfrag.domain.tables import CellBudget, PlacedCell, TableCell, placed_cells
from selfrag.domain.writing import Writer, list_names
from selfrag.reader.archive import LimitExceeded
from selfrag.reader.data.tables import DataRow, DataTables, flush_lines
from selfrag.reader.visibility import LeftOut

MAX_ROW, MAX_COLUMN = 1_048_576, 16_384
MAX_CELLS = 1_000_000  # of a workbook, with a value; each takes some 100 bytes


@dataclass(frozen=True)
class MergedCells:
    """A merged range: first and last rows from 1, columns from 0."""

    top: int
    left: int
    bottom: int
    right: int


@dataclass
class WorkbookSheet:
    """Values of a sheet by row (from 1) and column (from 0).

    Hidden rows and columns are included; a hidden sheet is empty.
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
        if first >= 0 and first not in self.hidden_columns:  # repeated ranges would take long
            self.hidden_columns.update(range(first, min(last + 1, MAX_COLUMN)))


class Cells:
    """Counts values of a workbook, which stay in memory until its merged cells are known."""

    def __init__(self) -> None:
        self._left = MAX_CELLS

    def put(self, sheet: WorkbookSheet, row: int, column: int, value: str) -> None:
        """Note a value; raises LimitExceeded."""
        if value.strip():
            self._left -= 1
            if self._left < 0:
                raise LimitExceeded(f"has more than {MAX_CELLS:,} cells with a value; split it into several files")
            sheet.rows.setdefault(row, {})[column] = value


_NARROWEST, _MAX_BLOCKS = 2, 20  # minimum columns of a side-by-side table, maximum number of such tables
MAX_STEPS = 20_000_000  # cells with and without a value up to the last one of each row

Band = list[tuple[int, bool, dict[int, str]]]


def write_sheets(writer: Writer, sheets: list[WorkbookSheet]) -> None:
    """Write each visible sheet as a part and warn about hidden content."""
    left_out: dict[str, list[str]] = {"sheets": [], "rows": [], "columns": []}
    without_value = unseen = 0
    for sheet in sheets:
        if sheet.hidden:
            left_out["sheets"].append(sheet.name)
            continue
        left_out["rows"] += [sheet.name] if sheet.hidden_rows & sheet.rows.keys() else []
        hidden = [(row, column) for row in sheet.rows.values() for column in sheet.hidden_columns & row.keys()]
        for row, column in hidden:
            del row[column]
        left_out["columns"] += [sheet.name] if hidden else []
        without_value += sheet.without_value
        unseen += sheet.unseen
        if sheet.rows.keys() - sheet.hidden_rows or sheet.charts:
            writer.part(f"sheet {sheet.name}")
            if len(sheets) > 1:
                writer.heading(1, sheet.name)
            _write(writer, sheet, 1 + (len(sheets) > 1))
            flush_lines(writer, sheet.charts)
    for kind, names in left_out.items():
        if names:
            on = f"hidden {kind}" if kind == "sheets" else f"hidden {kind} on"
            writer.warnings.append(
                f"{writer.key} has {on} {list_names(names)}, which were left out; unhide them to have them read."
            )
    if without_value:
        writer.warnings.append(
            f"{writer.key} has formulas without a value ({without_value}); open it in a spreadsheet and save it again."
        )
    writer.warnings += LeftOut(unseen).warnings(writer.key)


def _write(writer: Writer, sheet: WorkbookSheet, level: int) -> None:
    merged = unmerge(sheet, CellBudget(writer.key))
    above, tables = list[str](), dict[int, DataTables]()
    shown = {column for number, row in sheet.rows.items() if number not in sheet.hidden_rows for column in row}
    for left, right, band in blocks(sheet, len(shown) > 1):
        if right - left == 0 and len(shown) > 1:
            above += [" ".join(row[left].split()) for _, _, row in band if left in row]
            continue
        tables.setdefault(left, DataTables(writer, level, above, left)).write(
            _data_rows(band, left, right, merged), right - left + 1
        )
    flush_lines(writer, above)


def _data_rows(band: Band, left: int, right: int, merged: dict[int, list[PlacedCell]]) -> Iterator[DataRow]:
    for number, apart, row in band:
        cells = [cell for cell in merged[number] if left <= cell.first <= right]
        moved = [cell._replace(first=cell.first - left, end=cell.end - left) for cell in cells]
        yield DataRow(number, [row.get(column, "") for column in range(left, max(row) + 1)], apart, moved)


def blocks(sheet: WorkbookSheet, divides: bool) -> Iterator[tuple[int, int, Band]]:
    """Split rows at blank rows, then at blank columns; yield first column, last column and rows.

    Raises LimitExceeded if the values are so scattered that scanning would take long.
    """
    if sum(max(row, default=0) for row in sheet.rows.values()) > MAX_STEPS:
        raise LimitExceeded("has values too far apart; move them together, or save it as several files")
    for band in _bands(sheet):
        columns = sorted({column for _, _, row in band for column in row})
        pairs = enumerate(pairwise(columns), 1)
        edges = [at for at, (left, right) in pairs if not sheet.hidden_columns.issuperset(range(left + 1, right))]
        groups = [(columns[a], columns[b - 1]) for a, b in pairwise([0, *edges, len(columns)])]
        is_narrow = any(right - left + 1 < _NARROWEST for left, right in groups)
        if not divides or len(band) == 1 or len(groups) > _MAX_BLOCKS or is_narrow:
            groups = [(columns[0], columns[-1])]
        for left, right in groups:
            rows = [
                (number, apart, {c: v for c, v in row.items() if left <= c <= right}) for number, apart, row in band
            ]
            yield left, right, [each for each in rows if each[2]]


def _bands(sheet: WorkbookSheet) -> Iterator[Band]:
    band: Band = []
    before, apart = 0, False
    for number in sorted(sheet.rows):
        apart = apart or (number - before > 1 and before > 0)
        before = number
        if number in sheet.hidden_rows or not sheet.rows[number]:
            continue
        if apart and band:
            yield band
            band = []
        band.append((number, apart, sheet.rows[number]))
        apart = False
    if band:
        yield band


def unmerge(sheet: WorkbookSheet, budget: CellBudget) -> dict[int, list[PlacedCell]]:
    """Repeat vertically merged cells in each row that has a value; return the merged cells by row."""
    numbers, begun = sorted(sheet.rows), dict[int, list[TableCell]]()
    last = max((max(row) for row in sheet.rows.values() if row), default=0)
    for area in sorted(sheet.merged, key=lambda area: area.left):
        if value := sheet.rows.get(area.top, {}).get(area.left, ""):
            tall = bisect_right(numbers, area.bottom) - bisect_right(numbers, area.top) + 1
            wide = max(1, min(area.right, last) - area.left + 1)
            begun.setdefault(area.top, []).append(TableCell(value, wide, max(1, tall), least=area.left))
    rows = placed_cells((begun.get(number, ()) for number in numbers), budget)
    merged = dict(zip(numbers, rows, strict=True))
    for number, cells in merged.items():
        for cell in cells:
            sheet.rows[number].setdefault(cell.first, cell.cell.text)
    return merged
