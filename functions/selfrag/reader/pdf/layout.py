"""The layout of a page in the order of reading, paragraphs and tables, and how it is written down."""

from collections.abc import Iterator, Sequence

from selfrag.domain.writing import Writer
from selfrag.reader.pdf.shapes import Segment, Sheet
from selfrag.reader.pdf.tables.blocks import blocks, is_caption
from selfrag.reader.pdf.tables.frames import around_frames
from selfrag.reader.pdf.tables.rows import Table, table_of
from selfrag.reader.pdf.text.columns import in_order
from selfrag.reader.pdf.text.headings import Levels
from selfrag.reader.pdf.text.paragraphs import Paragraph, Words, joined_row, paragraphs_of
from selfrag.reader.pdf.text.segments import rows_of

Laid = Paragraph | Table


def laid_out(segments: Sequence[Segment], sheet: Sheet, words: Words) -> list[Laid]:
    """Return the paragraphs and tables that these stretches of a page make; `words` are the document's.

    What runs across the page comes last.
    """
    found = [laid for region in _regions(segments, sheet) for laid in _region(region, sheet, words)]
    across = [Paragraph(one.text, one.size, one.bold, apart=True, across=True) for one in sheet.across]
    return [*_with_captions(found), *across]


def _regions(segments: Sequence[Segment], sheet: Sheet) -> Iterator[list[Segment]]:
    """The stretches in the order of reading; the cells in a frame are no columns of text, however long they are."""
    for part, framed in around_frames(segments, sheet.frames):
        yield from [part] if framed else in_order(part, sheet.rules)


def _region(segments: Sequence[Segment], sheet: Sheet, words: Words) -> Iterator[Laid]:
    rows, done = rows_of(segments), 0
    for block in blocks(rows, sheet.rules, sheet.frames):
        if table := table_of(block, words):
            yield from paragraphs_of([joined_row(row) for row in rows[done : block.start]], words)
            yield table
            done = block.end
    yield from paragraphs_of([joined_row(row) for row in rows[done:]], words)


def _with_captions(found: Sequence[Laid]) -> Iterator[Laid]:
    """Yield the same, but a table's caption, which stands above or below it, is the table's."""
    taken = set[int]()
    for at, laid in enumerate(found):
        for near in (at - 1, at + 1):
            one = found[near] if isinstance(laid, Table) and 0 <= near < len(found) and near not in taken else None
            if isinstance(laid, Table) and isinstance(one, Paragraph) and not laid.caption and is_caption(one.text):
                laid.caption = one.text
                taken.add(near)
    yield from (laid for at, laid in enumerate(found) if at not in taken)


def write(writer: Writer, pages: Sequence[Sequence[Laid]], labels: Sequence[str]) -> None:
    """Write page by page; each is a part, also one that shows nothing, so that pages are counted as a viewer does."""
    levels = Levels(laid for page in pages for laid in page if isinstance(laid, Paragraph))
    for number, (page, label) in enumerate(zip(pages, labels, strict=True), 1):
        if page:
            _part_lines(writer)
        writer.part(f"page {label or number}", number)
        for at, laid in enumerate(page):
            level = levels.level(laid) if isinstance(laid, Paragraph) else 0
            if at and (isinstance(laid, Table) or level or laid.apart):
                _part_lines(writer)
            if isinstance(laid, Table):
                _write_table(writer, laid)
            elif level:
                writer.heading(level, laid.text)
            else:
                writer.line(laid.text)


def _write_table(writer: Writer, table: Table) -> None:
    with writer.table(table.caption):
        if table.caption:
            writer.line(table.caption)
        for row in table.rows:
            writer.row(table.names, row)


def _part_lines(writer: Writer) -> None:
    if not writer.is_empty:
        writer.line("")
