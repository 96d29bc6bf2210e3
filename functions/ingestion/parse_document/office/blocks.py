"""What office documents are made of: paragraphs, tables with their cells, and slides."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field


@dataclass(slots=True)
class Paragraph:
    """A paragraph; `level` is a heading's, 0 for all others. One without a text is a picture."""

    text: str
    level: int = 0
    caption: bool = False
    bold: bool = False


@dataclass(slots=True)
class Cell:
    """A cell as wide as `columns`; one that goes `on` says what the cell above it says."""

    blocks: "list[Block]" = field(default_factory=list)
    columns: int = 1
    on: bool = False


@dataclass(slots=True)
class Line:
    """A row of a table; a header's cells are the names of columns."""

    cells: list[Cell] = field(default_factory=list)
    header: bool = False


@dataclass(slots=True)
class Grid:
    """A table; `first` is what it says of its first row: that it holds names, that it does not, or None for neither."""

    lines: list[Line] = field(default_factory=list)
    first: bool | None = None


@dataclass(slots=True)
class Slide:
    """Where a slide begins."""

    number: int


Block = Paragraph | Grid | Slide


def texts(blocks: Iterable[Block]) -> Iterator[str]:
    """The text of each paragraph, also of those in tables."""
    for block in blocks:
        if isinstance(block, Paragraph):
            yield block.text
        elif isinstance(block, Grid):
            for line in block.lines:
                for cell in line.cells:
                    yield from texts(cell.blocks)
