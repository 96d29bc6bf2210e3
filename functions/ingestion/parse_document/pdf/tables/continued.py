"""Tables that go on over pages: the same names, and the row that the end of the page has cut."""

from collections.abc import Sequence
from itertools import pairwise

from ingestion.parse_document.pdf.layout import Laid
from ingestion.parse_document.pdf.tables.grids import Grid, joined_cells
from ingestion.parse_document.pdf.tables.grouping import NUMBER
from ingestion.parse_document.pdf.text.vocabulary import Vocabulary

_EXACT = 2  # points by which the columns of one table may differ


def with_tables_continued(pages: Sequence[list[Laid]], words: Vocabulary) -> None:
    """Give the first table of a page what the last one of the page before knows, if it goes on with that one."""
    for before, after in pairwise(pages):
        above, below = (before[-1] if before else None), (after[0] if after else None)
        if isinstance(above, Grid) and isinstance(below, Grid) and _is_one(above, below):
            if below.head != above.head:
                below.head, below.rows = above.head, [*below.head, *below.rows]
            if above.rows and len(below.rows) > 1 and _goes_on(above.rows[-1], below):
                above.rows[-1] = joined_cells([above.rows[-1], below.rows.pop(0)], words)


def _is_one(above: Grid, below: Grid) -> bool:
    if below.caption or len(above.lefts) != len(below.lefts) or (below.sure and below.head != above.head):
        return False
    return all(abs(one - other) <= _EXACT for one, other in zip(above.lefts, below.lefts, strict=True))


def _goes_on(last: Sequence[str], grid: Grid) -> bool:
    """Return whether the first row is the rest of the last one: texts go on, and nothing stands where rows begin.

    In a frame that may be a row of its own.
    """
    first = grid.rows[0]
    texts = all(last[at] and not NUMBER.fullmatch(cell) for at, cell in enumerate(first) if cell)
    return texts and not grid.framed and not first[0]
