"""The cells of a page's tables, each with its column and row names."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from bench.documents.known.areas import Area, Cell, Table, next_line, size_of
from bench.documents.known.tree import Element

_SECTIONS = ("thead", "tbody", "tfoot")


@dataclass(frozen=True, eq=False)
class _Place:
    text: str
    heading: bool


def cells(tree: Element, text_of: Callable[[Element], str], first: int = 0) -> list[Cell]:
    """The cells of all tables that have headings; one without them is a layout, and none of its cells is given.

    Their rows are counted from `first`.
    """
    found: list[Cell] = []
    for table in _tables(tree):
        found += _cells_of(table, text_of, next_line(found) if found else first)
    return found


def areas(tree: Element, text_of: Callable[[Element], str]) -> list[Table]:
    """Return all tables of two columns and more by the places of their cells, those that are a layout as well."""
    found = []
    for table in _tables(tree):
        places: dict[_Place, list[tuple[int, int]]] = {}
        for row, (held, _) in enumerate(_laid_out(table, text_of)):
            for column, place in held.items():
                places.setdefault(place, []).append((row, column))
        if len({column for at in places.values() for _, column in at}) > 1:
            found.append([_area(place, at) for place, at in places.items()])
    return found


def _area(place: _Place, at: Sequence[tuple[int, int]]) -> Area:
    (row, column), (last, right) = min(at), max(at)
    return Area(place.text, row, column, last - row + 1, right - column + 1, place.heading)


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


def _cells_of(table: Element, text_of: Callable[[Element], str], first: int) -> Iterator[Cell]:
    names, rows = _read(table, text_of)
    for line, places in enumerate(rows, first):
        size = size_of([name for column in places for name in names.get(column, [])], [p.text for p in places.values()])
        row = next((place.text for _, place in sorted(places.items()) if place.heading), "")
        for column, place in sorted(places.items()):
            if place.text and not place.heading and names.get(column):
                yield Cell(tuple(names[column]), row, place.text, size, line)


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
