"""The blocks of office documents: paragraphs, tables with their cells, and slides."""

from collections.abc import Iterable, Iterator
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
    """A table row; header cells are column names."""

    cells: list[Cell] = field(default_factory=list)
    header: bool = False


@dataclass(slots=True)
class Grid:
    """A table; `first` says whether its markup declares a header row, None if it does not say.

    `likely` is True if its style sets off the first row, as most table styles of Word do.
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
    """Formatting of a text run or a style; None inherits. The size is in points."""

    hidden: bool | None = None
    struck: bool | None = None
    script: Script | None = None
    color: str | None = None
    fill: str | None = None
    size: float | None = None
    font: str | None = None

    def inherit(self, base: "RunLook") -> "RunLook":
        """Return this formatting with unset fields inherited from `base`."""
        pairs = ((getattr(self, field.name), getattr(base, field.name)) for field in fields(self))
        return RunLook(*(below if value is None else value for value, below in pairs))

    def is_unseen(self, behind: str) -> bool:
        """Return whether text is hidden, too small, or in its background's color."""
        tiny = self.size is not None and 0 < self.size <= MAX_TINY
        return bool(self.hidden) or tiny or (self.color is not None and blends(self.color, self.fill or behind))


@dataclass(slots=True)
class OpenParagraph:
    """An unfinished paragraph; text boxes nest others in it."""

    parts: list[str] = field(default_factory=list)
    script: tuple[Script, str] | None = None  # unfinished superscript or subscript
    left_out: str = ""  # kind of the preceding omitted text
    notes: list[tuple[str, str]] = field(default_factory=list)
    bold: bool = True
    picture: bool = False


Block = Paragraph | Grid | Slide | Document  # a Document is an imported file


def texts(blocks: Iterable[Block]) -> Iterator[str]:
    """Yield the text of each paragraph, including those in tables."""
    for block in blocks:
        if isinstance(block, Paragraph | Document):
            yield block.text
        elif isinstance(block, Grid):
            for line in block.lines:
                for cell in line.cells:
                    yield from texts(cell.blocks)
