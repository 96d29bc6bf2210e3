"""The columns of a table: between standing lines, or what the cells of its rows cover."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from ingestion.parse_document.pdf.shapes import Box, Rule, Segment, around
from ingestion.parse_document.pdf.text.segments import ENUMERATOR

_LEAST_ROWS, _LEAST_RULED = 3, 2
_SHARE = 0.6  # of a table's height, along which a line between columns runs
_EXACT = 2  # points by which the beginnings of cells differ that stand below each other

Row = list[Segment]
Columns = list[tuple[float, float]]


def touching(rules: Sequence[Rule], rows: Sequence[Row]) -> list[Rule]:
    """Return the drawn lines in a table and around it."""
    box = _box(rows)
    return [rule for rule in rules if _touches(rule, box)]


def columns_of(rows: Sequence[Row], rules: Sequence[Rule]) -> Columns | None:
    """From where to where each column goes, None if there are none; `rules` are those that touch the rows."""
    columns = _columns_by_rules(rules, _box(rows)) or _columns_by_place(rows, bool(rules))
    return columns if columns and len(columns) > 1 else None


def column_at(one: Segment, columns: Columns) -> int | None:
    """Return the column at which a stretch begins, and beyond which it does not go."""
    for at, (left, _) in enumerate(columns):
        beyond = columns[at + 1][0] if at + 1 < len(columns) else max(columns[at][1] + 50, one.box.right + 1)
        if abs(one.box.left - left) <= _EXACT and one.box.right < beyond:
            return at
    return None


def _box(rows: Sequence[Row]) -> Box:
    return around([one.box for row in rows for one in row])


def _touches(rule: Rule, box: Box) -> bool:
    near = rule.box.bottom <= box.top + 15 and rule.box.top >= box.bottom - 15
    return near and rule.box.left <= box.right + 15 and rule.box.right >= box.left - 15


def _columns_by_rules(rules: Sequence[Rule], box: Box) -> list[tuple[float, float]] | None:
    """Return the spaces between standing lines, which have to run along most of the table in pieces or whole."""
    along = Counter[int]()
    for rule in rules:
        if not rule.flat:
            along[round(rule.box.left / 2)] += round(
                min(rule.box.top, box.top + 9) - max(rule.box.bottom, box.bottom - 9)
            )
    places = sorted(2 * place for place, length in along.items() if length > _SHARE * box.height)
    places = [place for before, place in pairwise([-9, *places]) if place - before > 5]
    edges = [box.left - 1, *(place for place in places if box.left + 5 < place < box.right - 5), box.right + 1]
    return list(pairwise(edges)) if len(edges) > 2 else None


def _columns_by_place(rows: Sequence[Row], ruled: bool) -> list[tuple[float, float]] | None:
    """Return what the rows with the usual number of cells cover, if each cell stands below the one above."""
    cells = [one for row in rows for one in row]
    if sum(one.fixed for one in cells) > (len(cells) / 2 if ruled else 0):
        return None  # the lines of a program
    if all(ENUMERATOR.fullmatch(row[0].text) for row in rows if len(row) > 1):
        return None  # a list
    counts = Counter(len(row) for row in rows if len(row) > 1)
    usual = max(counts, key=lambda count: (counts[count], count), default=0)
    if counts[usual] < (_LEAST_RULED if ruled else _LEAST_ROWS):
        return None
    columns = [
        (min(one.box.left for one in cells), max(one.box.right for one in cells))
        for cells in zip(*(row for row in rows if len(row) == usual), strict=True)
    ]
    return columns if all(left[1] < right[0] + 1 for left, right in pairwise(columns)) else None
