"""Cells that several rows of a table share: no line is drawn between them in their column."""

from collections.abc import Sequence
from itertools import pairwise

from ingestion.parse_document.pdf.shapes import Rule
from ingestion.parse_document.pdf.tables.cells import Columns
from ingestion.parse_document.pdf.tables.grouping import Line, lines_above

_LEAST_ROWS = 3
_EXACT = 4  # points: heights of lines are rounded to 3


def with_shared(
    told: Sequence[list[str]],
    groups: Sequence[Sequence[Line]],
    flat: Sequence[int],
    rules: Sequence[Rule],
    columns: Columns,
) -> list[list[str]]:
    """Return the rows with what they share in each of them; `groups` are their lines, `flat` the heights of drawn ones.

    Rows that no lines divide share nothing, nor do those of which each has a text of its own.
    """
    above = [lines_above(group[0], flat) for group in groups]
    rows = [list(row) for row in told]
    if len(rows) < _LEAST_ROWS or any(one >= after for one, after in pairwise(above)):
        return rows
    heights = [flat[-1 - lines] for lines in above[:-1]]
    for at, (left, right) in enumerate(columns):
        middle = (left + right) / 2
        across = [rule.box.bottom for rule in rules if rule.flat and rule.box.left <= middle <= rule.box.right]
        ends = [row for row, height in enumerate(heights, 1) if any(abs(one - height) <= _EXACT for one in across)]
        for first, end in pairwise([0, *ends, len(rows)]):
            texts = [row[at] for row in told[first:end]]
            for row in rows[first:end]:
                row[at] = row[at] if all(texts) else " ".join(filter(None, texts))
    return rows
