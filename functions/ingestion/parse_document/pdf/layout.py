"""The layout of a page in the order of reading: paragraphs and tables, with the tables' captions."""

from collections.abc import Iterator, Sequence

from ingestion.parse_document.pdf.shapes import Segment, Sheet
from ingestion.parse_document.pdf.tables.blocks import blocks, is_caption
from ingestion.parse_document.pdf.tables.frames import around_frames
from ingestion.parse_document.pdf.tables.grids import Grid, grid_of
from ingestion.parse_document.pdf.text.columns import in_order
from ingestion.parse_document.pdf.text.paragraphs import Paragraph, joined_row, paragraphs_of
from ingestion.parse_document.pdf.text.segments import rows_of
from ingestion.parse_document.pdf.text.vocabulary import Vocabulary

Laid = Paragraph | Grid


def laid_out(segments: Sequence[Segment], sheet: Sheet, words: Vocabulary) -> list[Laid]:
    """Return the paragraphs and tables that these stretches of a page make; `words` are those of the document.

    What runs across the page comes last.
    """
    found = [laid for region in _regions(segments, sheet) for laid in _region(region, sheet, words)]
    across = [Paragraph(one.text, one.box, one.size, one.bold, apart=True, across=True) for one in sheet.across]
    return [*_with_captions(found), *across]


def _regions(segments: Sequence[Segment], sheet: Sheet) -> Iterator[list[Segment]]:
    """The stretches in the order of reading; the cells in a frame are no columns of text, however long they are."""
    for part, framed in around_frames(segments, sheet.frames):
        yield from [part] if framed else in_order(part, sheet.rules)


def _region(segments: Sequence[Segment], sheet: Sheet, words: Vocabulary) -> Iterator[Laid]:
    rows, done = rows_of(segments), 0
    for block in blocks(rows, sheet.rules, sheet.frames):
        if grid := grid_of(block, words):
            yield from paragraphs_of([joined_row(row) for row in rows[done : block.start]], words)
            yield grid
            done = block.end
    yield from paragraphs_of([joined_row(row) for row in rows[done:]], words)


def _with_captions(found: Sequence[Laid]) -> Iterator[Laid]:
    """Yield the same, but a table's caption, which stands above or below it, is the table's."""
    taken = set[int]()
    for at, laid in enumerate(found):
        for near in (at - 1, at + 1):
            one = found[near] if isinstance(laid, Grid) and 0 <= near < len(found) and near not in taken else None
            if isinstance(laid, Grid) and isinstance(one, Paragraph) and not laid.caption and is_caption(one.text):
                laid.caption = one.text
                taken.add(near)
    yield from (laid for at, laid in enumerate(found) if at not in taken)
