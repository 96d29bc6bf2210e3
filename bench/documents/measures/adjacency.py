"""ICDAR 2013's measure for tables: pairs of horizontally and vertically adjacent cells."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bench.documents.known.areas import Area, Table
from bench.documents.measures.tokens import normal

_SIGN = re.compile(r"[^\w\s]")
_ACROSS, _DOWN = (0, 1), (1, 0)
# Two texts, the direction from one to the other, and how many empty places are between them.
Relation = tuple[str, str, tuple[int, int], int]


@dataclass(frozen=True)
class Adjacency:
    """The relations of a document's cells: `known` ones, those that a reader `read`, and those that are both."""

    known: int
    read: int
    both: int


def adjacency(known: Iterable[Table], read: Iterable[Table]) -> Adjacency:
    """Compare the tables of a document with those that a reader gave, all at once, as the competition does."""
    of_known, of_read = (Counter(one for table in tables for one in relations(table)) for tables in (known, read))
    return Adjacency(of_known.total(), of_read.total(), (of_known & of_read).total())


def relations(table: Table) -> Iterator[Relation]:
    """Yield each cell's relations to its next neighbours on the right and below, over places that are empty."""
    filled = [area for area in table if area.text.strip()]
    at = {place: number for number, area in enumerate(filled) for place in area.places()}
    ends = 1 + max((row for row, _ in at), default=0), 1 + max((column for _, column in at), default=0)
    for number, area in enumerate(filled):
        found = {
            (other, way, between)
            for way in (_ACROSS, _DOWN)
            for start in _edge(area, way)
            for other, between in _next(at, start, way, ends, number)
        }
        yield from ((_plain(area.text), _plain(filled[other].text), way, between) for other, way, between in found)


def _edge(area: Area, way: tuple[int, int]) -> Iterator[tuple[int, int]]:
    last, right = area.row + area.rows - 1, area.column + area.columns - 1
    return (place for place in area.places() if (place[1] == right if way == _ACROSS else place[0] == last))


def _next(
    at: dict[tuple[int, int], int], start: tuple[int, int], way: tuple[int, int], ends: tuple[int, int], own: int
) -> Iterator[tuple[int, int]]:
    row, column = start[0] + way[0], start[1] + way[1]
    between = 0
    while row < ends[0] and column < ends[1]:
        if (other := at.get((row, column), own)) != own:
            yield other, between
            return
        row, column, between = row + way[0], column + way[1], between + 1


def _plain(text: str) -> str:
    """Return a text as the competition compares it: without spaces, all signs alike."""
    return _SIGN.sub("_", "".join(normal(text).split()))
