"""The blocks of an office document, written down: rows with the names of their columns, captions with their tables."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from selfrag.domain.tables import Shown, named_rows
from selfrag.domain.writing import Writer
from selfrag.reader.column_names import is_data, look_like_names, names_columns
from selfrag.reader.office.blocks import Block, Cell, Grid, GridRow, Paragraph, Slide


def write(writer: Writer, blocks: Sequence[Block]) -> None:
    """Write the blocks in order.

    A caption is of the table below it; it is of the table above if that has none and none follows.
    """
    above: Grid | None = None  # a table that has no caption yet
    caption = ""
    for block in blocks:
        if isinstance(block, Grid):
            _write_table(writer, above, "")
            above, caption = (None, _write_table(writer, block, caption)) if caption else (block, "")
            continue
        if above or caption:
            if isinstance(block, Paragraph) and block.caption and not caption:
                caption = block.text
                continue
            caption, above = _write_table(writer, above, caption), None
        if isinstance(block, Slide):
            writer.part(f"slide {block.number}", block.number)
        elif block.caption:
            caption = block.text
        elif block.text:
            writer.heading(block.level, block.text) if block.level else writer.line(block.text)
    _write_table(writer, above, caption)


def _write_table(writer: Writer, grid: Grid | None, caption: str) -> str:
    """Write a table below its caption; without a table the caption is a line like others. Gives no caption."""
    if grid is None:
        if caption:
            writer.line(caption)
    elif _lays_out(grid):
        if caption:
            writer.line(caption)
        write(writer, [block for line in grid.lines for cell in line.cells for block in cell.blocks])
    else:
        with writer.table(caption):
            if caption:
                writer.line(caption)
            for names, values in _rows(grid):
                writer.row(names, values)
    return ""


def _lays_out(grid: Grid) -> bool:
    """Return whether a table of one column is a frame around other things; one with a name above its rows is none."""
    if len(grid.lines) > 1 and (grid.first or grid.lines[0].header):
        return False
    cells = [cell for line in grid.lines for cell in line.cells]
    return all(len(line.cells) == 1 for line in grid.lines) and any(len(cell.blocks) > 1 for cell in cells)


def _rows(grid: Grid) -> Iterator[tuple[Sequence[str], Sequence[str]]]:
    """The names of the columns and the values of each row."""
    shown = list(_repeated(grid.lines))
    names = names_of(grid, shown)
    if len(names) == len(shown):
        names = []
    return named_rows(names, shown[len(names) :])


def _repeated(lines: Sequence[GridRow]) -> Iterator[Shown]:
    """Yield the text and the width of each cell; one that goes on from above says the same again."""
    above: dict[int, str] = {}
    for line in lines:
        at, row = 0, list[tuple[str, int]]()
        for cell in line.cells:
            text = above.get(at, "") if cell.on else _text(cell)
            above[at] = text
            row.append((text, cell.columns))
            at += cell.columns
        yield row


def _text(cell: Cell) -> str:
    """Return what a cell says, on one line; a table in it, row by row."""
    texts = []
    for block in cell.blocks:
        if isinstance(block, Paragraph):
            texts.append(block.text)
        elif isinstance(block, Grid):
            # Nothing else shows which row of a small table in a cell names its columns.
            rows = _rows(replace(block, likely=True))
            texts.append("; ".join(pair for names, values in rows for pair in _pairs(names, values)))
    return " ".join(" ".join(texts).split())


def _pairs(names: Sequence[str], values: Sequence[str]) -> Iterator[str]:
    return (f"{name}: {value}" if name else value for name, value in zip(names, values, strict=True) if value)


def names_of(grid: Grid, shown: Sequence[Shown]) -> Sequence[Shown]:
    """The rows at the top that name the columns: those that the table says, else a first row that looks like names."""
    depth = len(list(takewhile(lambda line: line.header, grid.lines)))
    if not depth and grid.first is not False:
        depth = int(grid.first or _looks_like_names(grid, shown))
    while 0 < depth < len(shown) - 1 and _goes_on(grid.lines[depth - 1 : depth + 1], shown[depth : depth + 2]):
        depth += 1
    return shown[:depth]


def _goes_on(lines: Sequence[GridRow], below: Sequence[Shown]) -> bool:
    """Return whether the row below a row of names has names, too: one reaches into it, or spans several above data."""
    reaches = any(cell.on for cell in lines[1].cells)
    parts = 1 < len(lines[0].cells) < len(lines[1].cells)
    texts, data = ([text for text, _ in row] for row in below)
    return names_columns(texts, data) and (reaches or (parts and all(texts[1:]) and any(map(is_data, data))))


def _looks_like_names(grid: Grid, shown: Sequence[Shown]) -> bool:
    """Return whether the first row alone is bold or, where nothing is, its texts look like names."""
    bold = [all(_bold(cell) for cell in line.cells if cell.blocks) for line in grid.lines]
    if any(_bold(cell) for line in grid.lines for cell in line.cells if cell.blocks):
        return bold[0] and not all(bold)
    first, *below = ([text for text, _ in row] for row in shown)
    return look_like_names(first, below, grid.likely)


def _bold(cell: Cell) -> bool:
    return all(isinstance(block, Paragraph) and block.bold for block in cell.blocks)
