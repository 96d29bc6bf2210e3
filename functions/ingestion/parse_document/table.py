"""The rows of a CSV file, each on a line in which every value is named by its column."""

import csv
from collections.abc import Iterator
from io import StringIO
from itertools import islice
from pathlib import PurePosixPath

from ingestion.parse_document.headings import MAX_HEADING
from selfrag.domain.documents import Document, Heading
from selfrag.domain.errors import BadDocument

# Naming each value makes a file several times larger; a long name in a table of many rows, without end.
MAX_CHARACTERS = 20_000_000
_DELIMITERS = ",;\t|"
_NONE = "\x1f"  # a table of one column has no delimiter; nobody writes this control character
_SAMPLE_ROWS, _SAMPLE_CHARACTERS = 20, 20_000


def read_csv(key: str, text: str) -> Document:
    """A table whose first row names the columns; the delimiter is the one that divides the first rows most evenly."""
    rows = csv.reader(StringIO(text, newline=""), delimiter=_delimiter(text))
    try:
        lines, wider = _named(key, (row for row in rows if any(map(str.strip, row))))
    except csv.Error as error:
        sentence = "a quotation mark is never closed, or a value is too long; correct it"
        raise BadDocument(f"{key} is not a valid CSV file (line {rows.line_num}): {sentence}.") from error
    header = lines.partition("\n")[0]
    heading = Heading(0, len(header), 1, header[:MAX_HEADING])
    told = f"{key} has rows with more values than its first row has names ({wider} of {lines.count(chr(10))})."
    title = PurePosixPath(key).name
    return Document(key, title, lines, (heading,) if header else (), rows=True, warnings=(told,) if wider else ())


def _named(key: str, rows: Iterator[list[str]]) -> tuple[str, int]:
    """The lines of the table, and how many rows are wider than the first."""
    names = [_on_one_line(name) for name in next(rows, [])]
    written, wider = StringIO(), 0
    written.write(", ".join(filter(None, names)))
    for row in rows:
        wider += len(row) > len(names)
        named = zip(range(len(row)), map(_on_one_line, row), strict=True)
        values = (f"{_name(names, column)}: {value}" for column, value in named if value)
        separator = "\n"
        for value in values:
            if written.tell() + len(value) > MAX_CHARACTERS:
                raise BadDocument(
                    f"{key} has more than {MAX_CHARACTERS // 1_000_000} million characters when each value is named "
                    "by its column; split it into several files."
                )
            written.write(separator + value)
            separator = "; "
    return written.getvalue(), wider


def _name(names: list[str], column: int) -> str:
    return (names[column] if column < len(names) else "") or f"column {column + 1}"


def _on_one_line(value: str) -> str:
    return " ".join(value.split())


def _delimiter(text: str) -> str:
    sample = text[:_SAMPLE_CHARACTERS]
    return max(_NONE + _DELIMITERS, key=lambda delimiter: _evenness(sample, delimiter))


def _evenness(sample: str, delimiter: str) -> tuple[float, int]:
    """How many of the first rows have as many values as the first one, and how many values that is."""
    try:
        rows = [
            row for row in islice(csv.reader(StringIO(sample, newline=""), delimiter=delimiter), _SAMPLE_ROWS) if row
        ]
    except csv.Error:
        return 0, 0
    width = len(rows[0]) if rows else 0
    return (sum(len(row) == width for row in rows) / len(rows), width) if width > 1 else (0, 0)
