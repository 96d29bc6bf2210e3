"""Rows of a table whose cells may span columns, each value with what its columns are called."""

from collections.abc import Iterable, Iterator, Sequence

# The text of each cell of a row, and how many columns it spans.
Shown = Sequence[tuple[str, int]]


class ColumnNames:
    """The names of columns, of which a cell may span several, from the rows of names above."""

    def __init__(self) -> None:
        self._names: list[dict[str, None]] = []

    def __len__(self) -> int:
        return len(self._names)

    def add(self, text: str, first: int, width: int = 1) -> None:
        """Take in a name of some columns, below those that they have."""
        self._names += [{} for _ in range(first + width - len(self._names))]
        for column in self._names[first : first + width] if text else ():
            column[text] = None

    def names(self, first: int, width: int = 1) -> dict[str, None]:
        """Return the names of some columns, each once, from the top."""
        return dict.fromkeys(name for column in self._names[first : first + width] for name in column)

    def name(self, first: int, width: int = 1) -> str:
        """Return the names of some columns as text; "" if they have none."""
        return ", ".join(self.names(first, width))


def named_rows(names: Iterable[Shown], rows: Iterable[Shown]) -> Iterator[tuple[Sequence[str], Sequence[str]]]:
    """Yield the names of the columns and the values of each row; a value that spans columns has the names of all.

    `names` are the rows that name the columns, from top to bottom. A value as wide as the table has no name.
    """
    called = ColumnNames()
    for row in names:
        for at, text, width in _placed(row):
            called.add(text, at, width)
    for row in rows:
        whole = len(called)
        headers = ["" if width > 1 and width >= whole else called.name(at, width) for at, _, width in _placed(row)]
        yield headers, [text for text, _ in row]


def _placed(row: Shown) -> Iterator[tuple[int, str, int]]:
    """Yield the first column of each cell, its text, and how many columns it spans."""
    at = 0
    for text, width in row:
        yield at, text, width
        at += width
