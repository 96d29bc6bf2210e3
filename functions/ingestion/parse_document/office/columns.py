"""The rows of a table that name its columns."""

from collections.abc import Sequence
from itertools import takewhile

from ingestion.parse_document.office.blocks import Cell, Grid, Paragraph
from selfrag.domain.documents import has_words

MAX_NAME = 100  # characters; nothing longer is the name of a column
_NUMBERS_BEGIN = 3  # characters within which the first digit of a number stands, such as that of -1 or v2
# The text and the width of each cell of a row.
Shown = Sequence[tuple[str, int]]


def names_of(grid: Grid, shown: Sequence[Shown]) -> Sequence[Shown]:
    """The rows at the top that name the columns: those that the table says, else a first row that looks like names."""
    said = len(list(takewhile(lambda line: line.header, grid.lines)))
    if said or grid.first is False:
        return shown[:said]
    return shown[:1] if grid.first or _looks_like_names(grid, shown) else []


def _looks_like_names(grid: Grid, shown: Sequence[Shown]) -> bool:
    """Return whether the first row alone is bold or, where nothing is, has words that differ above numbers.

    Of rows of words alone it cannot be told whether the first names the others, unless its looks say so.
    """
    bold = [all(_bold(cell) for cell in line.cells if cell.blocks) for line in grid.lines]
    if any(_bold(cell) for line in grid.lines for cell in line.cells if cell.blocks):
        return bold[0] and not all(bold)
    texts = [text for text, _ in shown[0]]
    named = texts if texts[0] else texts[1:]
    distinct = len(set(named)) == len(named) > 1
    told = (grid.likely and len(shown) > 2) or any(map(_is_a_number, (text for row in shown[1:] for text, _ in row)))
    return told and distinct and all(len(text) <= MAX_NAME and _is_a_word(text) for text in named)


def _is_a_word(text: str) -> bool:
    return has_words(text) and not text[0].isdigit()


def _is_a_number(text: str) -> bool:
    return any(map(str.isdigit, text[:_NUMBERS_BEGIN]))


def _bold(cell: Cell) -> bool:
    return all(isinstance(block, Paragraph) and block.bold for block in cell.blocks)
