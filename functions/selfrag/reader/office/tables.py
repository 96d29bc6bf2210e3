"""Writer of office blocks: rows with column names, tables with captions."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from selfrag.domain.documents import Document
from selfrag.domain.tables import CellBudget, PlacedCell, TableCell, named_rows, placed_cells
from selfrag.domain.writing import Writer
from selfrag.reader.column_names import MAX_CARD_ROWS, is_card, is_data, look_like_names, names_columns
from selfrag.reader.office.blocks import Block, Cell, Grid, Paragraph, Slide

_MAX_CELLS = 1_000_000  # per document; a spanning cell counts once per row and column


def write(writer: Writer, blocks: Sequence[Block], budget: CellBudget | None = None) -> None:
    """Write blocks in order; raises BadDocument if the tables exceed the cell budget.

    A caption belongs to the next table, or to the previous one if that has none and none follows.
    """
    budget = budget or CellBudget(writer.key, _MAX_CELLS)
    above: Grid | None = None  # a table still without a caption
    caption = ""
    for block in blocks:
        if isinstance(block, Grid):
            _write_table(writer, above, "", budget)
            above, caption = (None, _write_table(writer, block, caption, budget)) if caption else (block, "")
            continue
        if above or caption:
            if isinstance(block, Paragraph) and block.caption and not caption:
                caption = block.text
                continue
            caption, above = _write_table(writer, above, caption, budget), None
        if isinstance(block, Slide):
            writer.part(f"slide {block.number}", block.number)
        elif isinstance(block, Document):
            writer.document_within(block)
        elif block.caption:
            caption = block.text
        elif block.text:
            writer.heading(block.level, block.text) if block.level else writer.line(block.text)
    _write_table(writer, above, caption, budget)


def _write_table(writer: Writer, grid: Grid | None, caption: str, budget: CellBudget) -> str:
    """Write a table below its caption, or the caption alone as a line; return no caption."""
    if grid is None:
        if caption:
            writer.line(caption)
    elif _lays_out(grid):
        if caption:
            writer.line(caption)
        write(writer, [block for line in grid.lines for cell in line.cells for block in cell.blocks], budget)
    else:
        with writer.table(caption):
            if caption:
                writer.line(caption)
            for names, values in _rows(grid, budget):
                writer.row(names, values)
    return ""


def _lays_out(grid: Grid) -> bool:
    """Return whether a table of one column is a frame around other things; one with a name above its rows is none."""
    if len(grid.lines) > 1 and (grid.first or grid.lines[0].header):
        return False
    cells = [cell for line in grid.lines for cell in line.cells]
    return all(len(line.cells) == 1 for line in grid.lines) and any(len(cell.blocks) > 1 for cell in cells)


def _rows(grid: Grid, budget: CellBudget) -> Iterator[tuple[Sequence[str], Sequence[str]]]:
    """Yield the names of the columns and the values of each row."""
    rows = list(placed_cells(_cells(grid, budget), budget))
    shown = [[*_expand_cells(row)] for row in rows]
    if _is_card(grid, [[text for text, _ in row] for row in shown]):
        return iter([([cells[0][0].rstrip(":：")], [text for text, _ in cells[1:2]]) for cells in shown])
    depth = _depth(grid, rows, [[text for text, _ in row] for row in shown])
    return named_rows(shown[:depth], shown[depth:])


def _cells(grid: Grid, budget: CellBudget) -> list[list[TableCell]]:
    """Return the cells by the row in which each begins."""
    rows, above = list[list[TableCell]](), dict[int, TableCell]()
    for line in grid.lines:
        at = 0
        rows.append([])
        for cell in line.cells:
            if cell.on and at in above:
                above[at].tall += 1
            else:
                above[at] = TableCell(_text(cell, budget), cell.columns, cell.rows)
                rows[-1].append(above[at])
            at += cell.columns
    return rows


def _expand_cells(row: Sequence[PlacedCell]) -> Iterator[tuple[str, int]]:
    """Yield the text of each cell and how many columns it spans, also for columns without a cell."""
    at = 0
    for placed in row:
        if placed.first > at:
            yield "", placed.first - at
        yield placed.cell.text, placed.end - placed.first
        at = placed.end


def _text(cell: Cell, budget: CellBudget) -> str:
    """Return a cell's text on one line; a nested table row by row."""
    texts = []
    for block in cell.blocks:
        if isinstance(block, Paragraph | Document):
            texts.append(block.text)
        elif isinstance(block, Grid):
            # A nested table has no other sign of a header.
            rows = _rows(replace(block, likely=True), budget)
            pairs = [pair for names, values in rows for pair in zip(names, values, strict=True)]
            texts.append("; ".join(f"{name}: {value}" if name else value for name, value in pairs if value))
    return " ".join(" ".join(texts).split())


def _depth(grid: Grid, rows: Sequence[Sequence[PlacedCell]], texts: Sequence[Sequence[str]]) -> int:
    """Return the number of header rows: declared ones, else a first row that looks like one."""
    depth = len(list(takewhile(lambda line: line.header, grid.lines)))
    if not depth and grid.first is not False:
        depth = int(grid.first or _looks_like_names(grid, texts))
    while 0 < depth < len(rows) - 1 and _goes_on(rows[depth - 1 : depth + 1], texts[depth : depth + 2]):
        depth += 1
    return depth if depth < len(rows) else 0


def _goes_on(rows: Sequence[Sequence[PlacedCell]], texts: Sequence[Sequence[str]]) -> bool:
    """Return whether the row below a header belongs to it: a cell spans into it, or several above data."""
    reaches = any(placed.is_continued for placed in rows[1])
    parts = 1 < len(rows[0]) < len(rows[1])
    below, data = texts
    return names_columns(below, data) and (reaches or (parts and all(below[1:]) and any(map(is_data, data))))


def _looks_like_names(grid: Grid, texts: Sequence[Sequence[str]]) -> bool:
    """Return whether the first row alone is bold or, where nothing is, its texts look like names."""
    bold = [all(_bold(cell) for cell in line.cells if cell.blocks) for line in grid.lines]
    if any(_bold(cell) for line in grid.lines for cell in line.cells if cell.blocks):
        return bold[0] and not all(bold)
    return look_like_names(texts[0], texts[1:], grid.likely)


def _is_card(grid: Grid, texts: Sequence[Sequence[str]]) -> bool:
    """Return whether each row is a label and its value: only labels are bold, if anything is."""
    if grid.likely or grid.first or len(grid.lines) > MAX_CARD_ROWS or any(line.header for line in grid.lines):
        return False
    bold = {tuple(_bold(cell) for cell in line.cells if cell.blocks) for line in grid.lines}
    return bold in ({(False, False)}, {(True, False)}) and is_card(texts)


def _bold(cell: Cell) -> bool:
    return all(isinstance(block, Paragraph) and block.bold for block in cell.blocks)
