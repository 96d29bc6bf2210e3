"""The tables that a reader tells, made anew of its lines: `name: value; name: value`, or Markdown."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from bench.documents.known.areas import Area, Table
from bench.documents.measures.cells import is_row, is_rule, split

_MORE, _NAMED, _LEVEL = "; ", ": ", ", "
# Identifies a column: its name, and the preceding column if it has no name.
_Key = tuple[str, str]


@dataclass(frozen=True)
class Told:
    """A table by a reader: what its columns are called, "" where they have no name, and its rows."""

    names: list[str]
    rows: list[list[str]]

    def pairs(self) -> Iterator[list[tuple[str, str]]]:
        """Yield the names and values of each row that are there."""
        for row in self.rows:
            yield [(name, value) for name, value in zip(self.names, row, strict=True) if value]

    def table(self) -> Table:
        """Return the table by positions; names with a common prefix share a heading above their own."""
        levels = _levels(self.names)
        depth = max((area.row + 1 for area in levels), default=0)
        levels = [area if area.columns > 1 else replace(area, row=depth - 1) for area in levels]
        values = [
            Area(value, depth + at, column)
            for at, row in enumerate(self.rows)
            for column, value in enumerate(row)
            if value
        ]
        return [*levels, *values]


def told_in_markdown(text: str) -> list[Told]:
    """Return the tables of a text in Markdown."""
    found = list[Told]()
    block = list[list[str]]()
    for line in [*text.splitlines(), ""]:
        if is_row(line):
            if not is_rule(line):
                block.append(split(line))
            continue
        if len(block) > 1:
            found.append(told_in_grid(block))
        block = []
    return found


def told_in_grid(grid: Sequence[Sequence[str]]) -> Told:
    """Return rows of which the first has the names."""
    width = max(map(len, grid))
    names, *rows = ([" ".join(value.split()) for value in [*row, *[""] * (width - len(row))]] for row in grid)
    return Told(names, rows)


def told_in_lines(lines: Sequence[str]) -> Told:
    """Return the rows of one table that are written as `name: value; name: value`.

    A name is the text before a colon that several rows share; in rows with such names, unshared ones count too. Values
    without a name share a column if they follow the same column.
    """
    pieces = [line.split(_MORE) for line in lines]
    often = Counter(name for row in pieces for piece in row for name in set(_could_be_names(piece)))
    named = len(lines) == 1 or max(often.values(), default=0) > 1
    rows = [_keyed(row, often if named else Counter()) for row in pieces]
    columns = list[_Key]()
    for row in rows:
        at = 0
        for key in row:
            if key not in columns:
                columns.insert(at, key)
            at = columns.index(key) + 1
    return Told([name for name, _ in columns], [[row.get(key, "") for key in columns] for row in rows])


def _could_be_names(piece: str) -> Iterator[str]:
    for colon in re.finditer(re.escape(_NAMED), piece):
        yield piece[: colon.start()]


def _keyed(row: Sequence[str], often: Counter[str]) -> dict[_Key, str]:
    found = dict[_Key, str]()
    last = ""
    for piece in row:
        names = [name for name in _could_be_names(piece) if often[name]]
        name = max(names, key=lambda one: (often[one], len(one) if often[one] > 1 else -len(one)), default="")
        place = "" if name else last
        while (name, place) in found:
            place += " "
        found[name, place] = piece[len(name) + len(_NAMED) :] if name else piece
        last = name or f"{place} "
    return found


def _levels(names: Sequence[str], row: int = 0, first: int = 0) -> Table:
    """Return the names by positions: `Sales, 2024` and `Sales, 2025` become `Sales` above both years."""
    found: Table = []
    at = 0
    while at < len(names):
        head = names[at].split(_LEVEL)[0]
        end = at + 1
        while end < len(names) and head and head != names[end] and names[end].startswith(head + _LEVEL):
            end += 1
        if end > at + 1:
            found.append(Area(head, row, first + at, 1, end - at))
            found += _levels([name[len(head) + len(_LEVEL) :] for name in names[at:end]], row + 1, first + at)
        elif names[at]:
            found.append(Area(names[at], row, first + at))
        at = end
    return found
