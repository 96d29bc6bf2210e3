"""The rows of a table that are the names of its columns."""

from collections.abc import Sequence
from statistics import median

from ingestion.parse_document.pdf.tables.grouping import NUMBER, Line


def heads(
    told: Sequence[list[str]], groups: Sequence[Sequence[Line]], columns: Sequence[tuple[float, float]], ruled: bool
) -> tuple[int, bool]:
    """Return the number of rows at the top that name columns, and whether a line or bold letters say so.

    `ruled` tells whether a drawn line is below the first.
    """
    depth = 2 if _is_spanning(groups[0], columns) and len(told) > 2 else 1
    if len(told) <= depth:
        return 0, False
    bold = [all(one.bold for _, row in group for one in row) for group in groups]
    sure = ruled or (all(bold[:depth]) and not all(bold))
    return depth if sure or _looks_like_names(told[depth - 1], told[depth:]) else 0, sure


def _is_spanning(group: Sequence[Line], columns: Sequence[tuple[float, float]]) -> bool:
    return any(
        sum(min(one.box.right, right) > max(one.box.left, left) for left, right in columns) > 1
        for _, row in group
        for one in row
    )


def _looks_like_names(head: Sequence[str], body: Sequence[Sequence[str]]) -> bool:
    if (not head[0] and all(head[1:])) or _is_short(head, body):
        return True
    return any(
        name and not NUMBER.fullmatch(name) and sum(bool(NUMBER.fullmatch(row[at])) for row in body) > len(body) / 2
        for at, name in enumerate(head)
    )


def _is_short(head: Sequence[str], body: Sequence[Sequence[str]]) -> bool:
    """Return whether a row has a name in each of many columns, or of two with much longer values in the second."""
    if not all(head) or any(character.isdecimal() for name in head for character in name):
        return False
    return len(head) > 2 or 2 * len(head[-1]) <= median(len(row[-1]) for row in body)
