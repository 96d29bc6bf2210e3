"""The blocks of office documents: paragraphs, tables with their cells, and slides."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import Literal

from selfrag.domain.documents import Document
from selfrag.reader.visibility import MAX_TINY, blends

Script = Literal["superscript", "subscript", "baseline"]


@dataclass(slots=True)
class Paragraph:
    """A paragraph; `level` is a heading's, 0 for all others. One without a text is a picture."""

    text: str
    level: int = 0
    caption: bool = False
    bold: bool = False


@dataclass(slots=True)
class Cell:
    """A cell that spans `columns` and `rows`; one that goes `on` is part of the cell above it."""

    blocks: "list[Block]" = field(default_factory=list)
    columns: int = 1
    rows: int = 1
    on: bool = False


@dataclass(slots=True)
class GridRow:
    """A row of a table; a header's cells are the names of columns."""

    cells: list[Cell] = field(default_factory=list)
    header: bool = False


@dataclass(slots=True)
class Grid:
    """A table; `first` is what it says of its first row: that it holds names, that it does not, or None for neither.

    `likely` is whether its looks say that the first row stands out, as those of most tables of Word do.
    """

    lines: list[GridRow] = field(default_factory=list)
    first: bool | None = None
    likely: bool = False


@dataclass(slots=True)
class Slide:
    """The beginning of a slide."""

    number: int


@dataclass(slots=True)
class RunLook:
    """The look of a run of text, or what a style says of it; None where it says nothing. The size is in points."""

    hidden: bool | None = None
    struck: bool | None = None
    script: Script | None = None
    color: str | None = None
    fill: str | None = None
    size: float | None = None
    font: str | None = None

    def above(self, base: "RunLook") -> "RunLook":
        """Return this look with what it does not say itself as a look below it has it."""
        pairs = ((getattr(self, field.name), getattr(base, field.name)) for field in fields(self))
        return RunLook(*(below if value is None else value for value, below in pairs))

    def is_unseen(self, behind: str) -> bool:
        """Return whether a text is hidden, too small to be seen, or has the colour of what is behind it."""
        tiny = self.size is not None and 0 < self.size <= MAX_TINY
        return bool(self.hidden) or tiny or (self.color is not None and blends(self.color, self.fill or behind))


@dataclass(slots=True)
class OpenParagraph:
    """A paragraph that has not ended; it holds others where it anchors a text box."""

    parts: list[str] = field(default_factory=list)
    script: tuple[Script, str] | None = None  # text set high or low that has not ended
    left_out: str = ""  # what was left out right before
    notes: list[tuple[str, str]] = field(default_factory=list)
    bold: bool = True
    picture: bool = False


Block = Paragraph | Grid | Slide | Document  # a document is one that was imported


def texts(blocks: Iterable[Block]) -> Iterator[str]:
    """Yield the text of each paragraph, also of those in tables."""
    for block in blocks:
        if isinstance(block, Paragraph | Document):
            yield block.text
        elif isinstance(block, Grid):
            for line in block.lines:
                for cell in line.cells:
                    yield from texts(cell.blocks)


def raise_heading(blocks: Sequence[Block]) -> None:
    """Make a heading that stands last one of the highest level."""
    if blocks and isinstance(last := blocks[-1], Paragraph) and last.level:
        last.level = 1
