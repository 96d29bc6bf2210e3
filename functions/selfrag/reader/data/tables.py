"""Tables from rows of values: title lines, column names and data rows."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, islice, pairwise
from string import ascii_uppercase

from selfrag.domain.tables import ColumnNames, PlacedCell
from selfrag.domain.writing import MAX_HEADING, Writer
from selfrag.reader.column_names import MAX_CARD_ROWS, is_card, is_data, names_columns

_BANNER_LINES = 3  # maximum title lines above the column names


@dataclass(frozen=True)
class DataRow:
    """A row with values and its spreadsheet number; `apart` marks a blank row before it.

    `merged` lists the cells that span columns or rows.
    """

    number: int
    values: Sequence[str]
    apart: bool = False
    merged: Sequence[PlacedCell] = ()


class DataTables:
    """Writes tables stacked in the same columns, starting at column `left`.

    A line at the top with a value in the first column only is a title, not a row. `above` collects titles until a table
    follows.
    """

    def __init__(self, writer: Writer, level: int, above: list[str], left: int = 0) -> None:
        self.wider = 0
        self._writer, self._level, self._above, self._left = writer, level, above, left
        self._names: list[str] | None = None

    def write(self, lines: Iterable[DataRow], columns: int) -> None:
        """Write these lines; a blank row may separate tables or rows."""
        band = 0

        def number(line: DataRow) -> int:
            nonlocal band
            band += line.apart
            return band

        for _, lines_together in groupby(lines, key=number):
            self._write_together(lines_together, columns)

    def _write_together(self, lines: Iterator[DataRow], columns: int) -> None:
        line = next(lines, None)
        while line is not None and columns > 1 and line.values[0].strip() and not any(map(str.strip, line.values[1:])):
            self._above.append(" ".join(line.values[0].split()))
            line = next(lines, None)
        if line is None:
            return
        rows = [line, *islice(lines, MAX_CARD_ROWS)]
        if self._names is None and len(rows) <= MAX_CARD_ROWS and _are_card(rows):
            flush_headings(self._writer, self._level, self._above)
            with self._writer.table():
                for row in rows:
                    self._writer.row([row.values[0].strip().rstrip(":：")], row.values[1:2], f"row {row.number}")
            return
        line, lines = self._skip_banner(line, chain(rows[1:], lines))
        below = next(lines, None)
        named = self._begins(line, below)
        level = self._level + flush_headings(self._writer, self._level, self._above)
        with self._writer.table():
            if named:
                line, below = self._take_names(line, below, lines, level)
            elif self._names is None:
                self._names = []
                self._writer.warnings.append(
                    f"{self._writer.key} has no names of columns above row {line.number}, so they are called by their "
                    "letters."
                )
            names = self._names or []
            for row in chain(filter(None, (line, below)), lines):
                missing = len(row.values) - len(names)
                self.wider += bool(names) and missing > 0
                padded = [*names, *[""] * missing]
                called = [name or f"column {letters(self._left + column)}" for column, name in enumerate(padded)]
                self._writer.row(called, row.values, f"row {row.number}")

    def _skip_banner(self, line: DataRow, lines: Iterator[DataRow]) -> tuple[DataRow, Iterator[DataRow]]:
        """Skip banners: return the lines from the header row on.

        Returns the lines unchanged if the first is a header or none of the next ones is.
        """
        ahead = [line, *islice(lines, _BANNER_LINES + 1)]
        rest = chain(ahead[1:], lines)
        if self._names is not None or names_columns(line.values, ahead[1].values if len(ahead) > 1 else ()):
            return line, rest
        for at, (header, under) in enumerate(pairwise(ahead[1:]), 1):
            is_longest = all(_count(header) > max(1, _count(before)) for before in ahead[:at])
            if is_longest and names_columns(header.values, under.values) and any(map(is_data, under.values)):
                self._above += [" ".join(" ".join(before.values).split()) for before in ahead[:at]]
                return header, chain(ahead[at + 1 :], lines)
        return line, rest

    def _begins(self, line: DataRow, below: DataRow | None) -> bool:
        """Return whether a line names columns; below another table only if something shows that one has begun."""
        under = below.values if below else ()
        if not names_columns(line.values, under):
            return False
        if not self._names:
            return self._names is None or below is not None
        columns = range(len(self._names))
        beyond = any(value.strip() for column, value in enumerate(line.values) if column not in columns)
        return bool(self._above) or beyond or any(map(is_data, under))

    def _take_names(
        self, line: DataRow, below: DataRow | None, lines: Iterator[DataRow], level: int
    ) -> tuple[DataRow | None, DataRow | None]:
        """Read the names, which may take several lines; gives the next two lines."""
        headers, first = [line], below
        while first is not None and _goes_on(headers[-1], first):
            headers.append(first)
            first = next(lines, None)
        self._names = _name_columns(headers)
        shown = ", ".join(filter(None, self._names))
        second = next(lines, None) if first is not None and first is not below else None
        if len(shown) <= MAX_HEADING or first is None:
            self._writer.heading(level, shown)
        return first, second


def _are_card(rows: Sequence[DataRow]) -> bool:
    return is_card([row.values for row in rows]) and not any(row.merged for row in rows)


def _count(line: DataRow) -> int:
    return sum(bool(value.strip()) for value in line.values)


def flush_headings(writer: Writer, level: int, above: list[str]) -> int:
    """Write the lines above a table as headings, each below the one before; gives how many they were."""
    for depth, text in enumerate(above):
        writer.heading(level + depth, text)
    count = len(above)
    above.clear()
    return count


def flush_lines(writer: Writer, above: list[str]) -> None:
    """Write the lines that no table followed."""
    for text in above:
        writer.line(text)
    above.clear()


def _goes_on(header: DataRow, line: DataRow) -> bool:
    """Return whether a second line belongs to the names: a cell above is merged over columns, or into it."""
    merged = any(cell.cell.wide > 1 for cell in header.merged) or any(cell.is_continued for cell in line.merged)
    return merged and names_columns(line.values, ())


def _name_columns(headers: Sequence[DataRow]) -> list[str]:
    """Return the names by column: that of a merged cell is every column's that it spans, and the lower ones follow."""
    names = ColumnNames()
    for line in headers:
        ends = {cell.first: cell.end for cell in line.merged}
        for column, value in enumerate(line.values):
            names.add(" ".join(value.split()), column, ends.get(column, column + 1) - column)
    return [names.name(column) for column in range(len(names))]


def letters(column: int) -> str:
    """Return the spreadsheet letters of a column counted from 0: A to Z, then AA."""
    called = ""
    while column >= 0:
        called = ascii_uppercase[column % 26] + called
        column = column // 26 - 1
    return called
