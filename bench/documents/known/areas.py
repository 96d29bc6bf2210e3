"""The cells of a table by their places in it, whichever format tells them, and by their names."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Cell:
    """A value, the headings above it from the outermost on, and its row's own heading ("" if it has none).

    `size` is the number of characters in its row without spaces, column names included. `line` is the number of its row
    in the document, the same for all cells of the row.
    """

    columns: tuple[str, ...]
    row: str
    value: str
    size: int
    line: int


@dataclass(frozen=True)
class Area:
    """A text, where it begins, counted from 0, how many rows and columns it spans, and whether it names a column."""

    text: str
    row: int
    column: int
    rows: int = 1
    columns: int = 1
    heading: bool = False

    def covers(self, row: int) -> bool:
        """Return whether it stands in a row."""
        return self.row <= row < self.row + self.rows

    def places(self) -> Iterator[tuple[int, int]]:
        """Yield each row and column that it stands in."""
        for row in range(self.row, self.row + self.rows):
            for column in range(self.column, self.column + self.columns):
                yield row, column


Table = list[Area]


def size_of(names: Iterable[str], values: Iterable[str]) -> int:
    """Characters without spaces of a row that says all its names and values."""
    return sum(len("".join(text.split())) for text in (*names, *values))


def next_line(cells: Sequence[Cell]) -> int:
    """Return the number of the row below those of these cells."""
    return cells[-1].line + 1 if cells else 0


def cells_of(table: Table, first: int = 0) -> list[Cell]:
    """Return the values below the headings, with these and the first text of their row; rows are counted from `first`.

    A value in a column without a heading has no names: a reader can give it none that is right.
    """
    names: dict[int, list[str]] = {}
    for area in sorted((one for one in table if one.heading and one.text), key=lambda one: one.row):
        for column in range(area.column, area.column + area.columns):
            names.setdefault(column, []).append(area.text)
    values = [area for area in table if area.text and not area.heading]
    found: list[Cell] = []
    for row in sorted({row for area in values for row, _ in area.places()}):
        held = sorted((area for area in values if area.covers(row)), key=lambda one: one.column)
        size = size_of([name for one in held for name in names.get(one.column, [])], [one.text for one in held])
        stub = held[0].text if held[0].column == 0 else ""
        for one in held:
            named = tuple(names.get(one.column, ()))
            found.append(Cell(named, stub if one.column else "", one.text, size, first + row))
    return found
