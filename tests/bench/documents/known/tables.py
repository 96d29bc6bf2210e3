"""The cells of a page's tables, each with what its column and its row are called."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from tests.bench.documents.known.tree import Element

_SECTIONS = ("thead", "tbody", "tfoot")


@dataclass(frozen=True)
class Cell:
    """A value, the headings above it from the outermost on, and its row's own heading ("" if it has none).

    `size` is the characters, without spaces, of its row: of all values and of what their columns are called.
    """

    columns: tuple[str, ...]
    row: str
    value: str
    size: int


@dataclass(frozen=True)
class _Place:
    text: str
    heading: bool


def cells(tree: Element, text_of: Callable[[Element], str]) -> list[Cell]:
    """The cells of all tables that have headings; one without them is a layout, and none of its cells is given."""
    return [cell for table in _tables(tree) for cell in _cells_of(table, text_of)]


def size_of(names: Iterable[str], values: Iterable[str]) -> int:
    """Characters without spaces of a row that says all its names and values."""
    return sum(len("".join(text.split())) for text in (*names, *values))


def grids(tree: Element, text_of: Callable[[Element], str]) -> list[list[list[str]]]:
    """Return the tables that have headings, row by row: first the names of the columns, those of one column joined."""
    found = []
    for table in _tables(tree):
        names, rows = _read(table, text_of)
        if names and rows:
            width = 1 + max(max(places, default=0) for places in (names, *rows))
            grid = [[", ".join(names.get(column, [])) for column in range(width)]]
            grid += [[row[column].text if column in row else "" for column in range(width)] for row in rows]
            found.append(grid)
    return found


def _tables(tree: Element) -> Iterator[Element]:
    for table in tree.elements("table"):
        yield table
        yield from _tables(table)


def _rows(table: Element) -> Iterator[tuple[Element, bool]]:
    """Yield its rows, and whether they are in its head."""
    for child in table.children:
        if isinstance(child, Element) and child.tag == "tr":
            yield child, False
        elif isinstance(child, Element) and child.tag in _SECTIONS:
            for row in child.children:
                if isinstance(row, Element) and row.tag == "tr":
                    yield row, child.tag == "thead"


def _cells_of(table: Element, text_of: Callable[[Element], str]) -> Iterator[Cell]:
    names, rows = _read(table, text_of)
    for places in rows:
        size = size_of([name for column in places for name in names.get(column, [])], [p.text for p in places.values()])
        row = next((place.text for _, place in sorted(places.items()) if place.heading), "")
        for column, place in sorted(places.items()):
            if place.text and not place.heading and names.get(column):
                yield Cell(tuple(names[column]), row, place.text, size)


def _read(table: Element, text_of: Callable[[Element], str]) -> tuple[dict[int, list[str]], list[dict[int, _Place]]]:
    """Return what each column is called, from the outermost heading on, and the rows below the headings."""
    names: dict[int, list[str]] = {}
    rows: list[dict[int, _Place]] = []
    for places, head in _laid_out(table, text_of):
        if rows or not (head or all(place.heading for place in places.values())):
            rows.append(places)
            continue
        for column, place in places.items():
            above = names.setdefault(column, [])
            if place.text and place.text not in above:
                above.append(place.text)
    return names, rows


def _laid_out(table: Element, text_of: Callable[[Element], str]) -> Iterator[tuple[dict[int, _Place], bool]]:
    """Yield its rows by column; what spans columns or rows is in each of them."""
    below: dict[int, tuple[int, _Place]] = {}
    for row, head in _rows(table):
        places = {column: place for column, (_, place) in below.items()}
        below = {column: (left - 1, place) for column, (left, place) in below.items() if left > 1}
        column = 0
        for cell in row.children:
            if isinstance(cell, str) or cell.tag not in ("td", "th"):
                continue
            while column in places:
                column += 1
            place = _Place(" ".join(text_of(cell).split()), cell.tag == "th")
            for _ in range(cell.number("colspan")):
                places[column] = place
                if cell.number("rowspan") > 1:
                    below[column] = (cell.number("rowspan") - 1, place)
                column += 1
        yield places, head
