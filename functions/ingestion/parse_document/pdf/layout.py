"""What stands on a page in the order of reading: paragraphs and tables, with the tables' captions."""

from collections.abc import Callable, Iterator, Sequence

from ingestion.parse_document.pdf.columns import in_order
from ingestion.parse_document.pdf.paragraphs import Paragraph, joined_row, paragraphs_of
from ingestion.parse_document.pdf.segments import rows_of
from ingestion.parse_document.pdf.shapes import Rule, Segment
from ingestion.parse_document.pdf.tables import Grid, blocks, grid_of, is_caption

Laid = Paragraph | Grid


def laid_out(segments: Sequence[Segment], rules: Sequence[Rule], knows: Callable[[str], bool]) -> list[Laid]:
    """The paragraphs and tables of a page; `knows` tells whether a word stands in the document."""
    found = [laid for region in in_order(segments, rules) for laid in _region(region, rules, knows)]
    return list(_with_captions(found))


def _region(segments: Sequence[Segment], rules: Sequence[Rule], knows: Callable[[str], bool]) -> Iterator[Laid]:
    rows, done = rows_of(segments), 0
    for start, end in blocks(rows, rules):
        if grid := grid_of(rows[start:end], rules, knows):
            yield from paragraphs_of([joined_row(row) for row in rows[done:start]], knows)
            yield grid
            done = end
    yield from paragraphs_of([joined_row(row) for row in rows[done:]], knows)


def _with_captions(found: Sequence[Laid]) -> Iterator[Laid]:
    """The same, but a table's caption, which stands above or below it, is the table's."""
    taken = set[int]()
    for at, laid in enumerate(found):
        if isinstance(laid, Grid):
            for near in (at - 1, at + 1):
                one = found[near] if 0 <= near < len(found) and near not in taken else None
                if isinstance(one, Paragraph) and not laid.caption and is_caption(one.text):
                    laid.caption = one.text
                    taken.add(near)
    yield from (laid for at, laid in enumerate(found) if at not in taken)
