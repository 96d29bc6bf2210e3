"""The rows of a table that are the names of its columns."""

import re
from collections.abc import Sequence
from itertools import accumulate

from ingestion.parse_document.pdf.tables.cells import Columns
from ingestion.parse_document.pdf.tables.grouping import NUMBER, Line, numbered, spans

_MOST = 4  # rows
_OFF = 9  # points from the middle of what a name is over
_YEAR = re.compile(r"(?:19|20)\d\d")


def heads(told: Sequence[list[str]], groups: Sequence[Sequence[Line]], head: int, ruled: bool) -> tuple[int, bool]:
    """Return the number of rows at the top that name columns, 0 if that is not certain, and whether looks say so.

    Names stand above a drawn line, as the first `head` lines do, or above the first number of a column of
    numbers, or are bold. `ruled` tells that lines are drawn between all rows. A value is never taken for a name.
    """
    columns = numbered([["" if _YEAR.fullmatch(cell) else cell for cell in cells] for cells in told])
    values = [
        2 * sum(map(bool, map(NUMBER.fullmatch, (cells[at] for at in columns)))) >= len(columns) for cells in told
    ]
    bold = [all(one.bold for _, row in group for one in row) for group in groups]
    first = values.index(True) if columns and True in values else len(told)
    depth = next((at for at, line in enumerate(accumulate(map(len, groups)), 1) if line >= head), 0) if head else first
    if not head and not columns and (ruled or (bold[0] and not all(bold))):
        depth = 1
    while 0 < depth < len(told) and spans(told[depth - 1]):
        depth += 1
    while depth < first < len(told) and not _named(told[:depth], columns):
        depth += 1
    depth = min(depth, first)
    while depth > 1 and not any(told[depth - 1][1:]):
        depth -= 1  # a title of rows
    sure = head > 0 or ruled or (all(bold[:depth]) and not all(bold))
    names = [cell for cells in told[:depth] for cell in cells if not _YEAR.fullmatch(cell)]
    certain = sure or not any(map(NUMBER.fullmatch, names))
    if not certain or not 0 < depth < min(len(told), _MOST + 1) or not _named(told[:depth], columns):
        return 0, False
    return depth, sure


def spread(cells: Sequence[str], group: Sequence[Line], columns: Columns) -> list[str]:
    """Return a row of names, each over all columns of which it stands in the middle, over none of another one."""
    found, centres = list(cells), {one.text: (one.box.left + one.box.right) / 2 for _, row in group for one in row}
    for text in dict.fromkeys(filter(None, cells)):
        if cells.count(text) != sum(map(text.__eq__, found)) or text not in centres:
            continue
        first, end = cells.index(text), len(cells) - list(reversed(cells)).index(text)
        least = max((at for at in range(first) if found[at]), default=0) + 1
        most = min((at for at in range(end, len(cells)) if cells[at]), default=len(cells))
        over = [(left, right) for left in range(least, first + 1) for right in range(end, most + 1)]
        off = {span: abs(columns[span[0]][0] + columns[span[1] - 1][1] - 2 * centres[text]) / 2 for span in over}
        wide = max((span for span in over if off[span] <= _OFF), key=lambda one: one[1] - one[0], default=(first, end))
        found[wide[0] : wide[1]] = [text] * (wide[1] - wide[0])
    return found


def _named(head: Sequence[Sequence[str]], columns: Sequence[int]) -> bool:
    return all(any(cells[column] for cells in head) for column in columns)
