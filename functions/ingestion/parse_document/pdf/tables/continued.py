"""Tables that go on over pages, under the same names."""

from collections.abc import Sequence
from itertools import pairwise

from ingestion.parse_document.pdf.layout import Laid
from ingestion.parse_document.pdf.tables.grids import Grid

_EXACT = 2  # points by which the columns of one table may differ


def with_tables_continued(pages: Sequence[list[Laid]]) -> None:
    """Give the first table of a page the names of the last one of the page before, if it goes on with that one."""
    for before, after in pairwise(pages):
        above, below = (before[-1] if before else None), (after[0] if after else None)
        if isinstance(above, Grid) and isinstance(below, Grid) and _is_one(above, below) and below.head != above.head:
            below.head, below.rows = above.head, [*below.head, *below.rows]


def _is_one(above: Grid, below: Grid) -> bool:
    if below.caption or len(above.lefts) != len(below.lefts) or (below.sure and below.head != above.head):
        return False
    return all(abs(one - other) <= _EXACT for one, other in zip(above.lefts, below.lefts, strict=True))
