"""Rows of a table whose cells may span columns, each value with what its columns are called."""

from collections.abc import Iterable, Iterator, Sequence

# The text of each cell of a row, and how many columns it spans.
Shown = Sequence[tuple[str, int]]


def named_rows(names: Iterable[Shown], rows: Iterable[Shown]) -> Iterator[tuple[Sequence[str], Sequence[str]]]:
    """Yield the names of the columns and the values of each row; a value that spans columns has the names of all.

    `names` are the rows that name the columns, from top to bottom. A value as wide as the table has no name.
    """
    called = _joined(names)
    for row in rows:
        columns, headers, values = 0, list[str](), list[str]()
        for text, width in row:
            spanned = called[columns : columns + width]
            whole = width > 1 and width >= len(called)
            headers.append("" if whole else ", ".join(dict.fromkeys(filter(None, spanned))))
            values.append(text)
            columns += width
        yield headers, values


def _joined(names: Iterable[Shown]) -> list[str]:
    """Return what each column is called: what the rows of names say of it, from top to bottom."""
    columns: list[list[str]] = []
    for row in names:
        at = 0
        for text, width in row:
            columns += [[] for _ in range(at + width - len(columns))]
            for column in columns[at : at + width]:
                column += [text] if text and text not in column else []
            at += width
    return [", ".join(column) for column in columns]
