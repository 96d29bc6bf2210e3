"""The pages as they are laid out, written down as a document's text, headings, tables and parts."""

from collections.abc import Sequence

from ingestion.parse_document.pdf.layout import Laid
from ingestion.parse_document.pdf.tables.grids import Grid
from ingestion.parse_document.pdf.text.headings import Levels
from ingestion.parse_document.pdf.text.paragraphs import Paragraph
from selfrag.domain.writing import Writer


def write(writer: Writer, pages: Sequence[Sequence[Laid]], labels: Sequence[str]) -> None:
    """Write page by page; each is a part, also one that shows nothing, so that pages are counted as a viewer does."""
    levels = Levels(laid for page in pages for laid in page if isinstance(laid, Paragraph))
    for number, (page, label) in enumerate(zip(pages, labels, strict=True), 1):
        if page:
            _part_lines(writer)
        writer.part(f"page {label or number}", number)
        for at, laid in enumerate(page):
            if isinstance(laid, Grid):
                _write_table(writer, laid, first=at == 0)
            else:
                _write_paragraph(writer, laid, levels, first=at == 0)


def _write_paragraph(writer: Writer, paragraph: Paragraph, levels: Levels, first: bool) -> None:
    level = levels.level(paragraph)
    if not first and (level or paragraph.apart):
        _part_lines(writer)
    if level:
        writer.heading(level, paragraph.text)
    else:
        writer.line(paragraph.text)


def _write_table(writer: Writer, grid: Grid, first: bool) -> None:
    if not first:
        _part_lines(writer)
    with writer.table(grid.caption):
        if grid.caption:
            writer.line(grid.caption)
        for row in grid.rows:
            writer.row(grid.names, row)


def _part_lines(writer: Writer) -> None:
    if not writer.is_empty:
        writer.line("")
