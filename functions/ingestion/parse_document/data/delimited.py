"""The rows of a CSV file, each on a line in which every value is named by its column."""

import csv
from collections.abc import Iterator
from io import StringIO
from itertools import islice
from pathlib import PurePosixPath

from ingestion.parse_document.labels import Labels
from ingestion.parse_document.writing import Writer
from selfrag.domain.documents import Document
from selfrag.domain.errors import BadDocument

_DELIMITERS = ",;\t|"
_NONE = "\x1f"  # a table of one column has no delimiter; nobody writes this control character
_SAMPLE_ROWS, _SAMPLE_CHARACTERS = 20, 20_000


def read_csv(key: str, text: str) -> Document:
    """A table whose first row names the columns; the delimiter is the one that divides the first rows most evenly."""
    rows = csv.reader(StringIO(text, newline=""), delimiter=_delimiter(text))
    writer = Writer(key)
    try:
        with writer.table():
            wider = _write(writer, rows)
    except csv.Error as error:
        sentence = "a quotation mark is never closed, or a value is too long; correct it"
        raise BadDocument(f"{key} is not a valid CSV file (line {rows.line_num}): {sentence}.") from error
    if wider:
        told = f"{wider} of {len(writer.rows)}"
        writer.warnings.append(f"{key} has rows with more values than its first row has names ({told}).")
    return writer.document(PurePosixPath(key).name, Labels())


def _write(writer: Writer, rows: Iterator[list[str]]) -> int:
    """Write the rows, numbered as a spreadsheet does; gives how many are wider than the first, which has the names."""
    names, wider = list[str](), 0
    for number, row in enumerate(rows, 1):
        if not any(map(str.strip, row)):
            continue
        if not names:
            names = [_on_one_line(name) for name in row]
            writer.heading(1, ", ".join(filter(None, names)))
            continue
        wider += len(row) > len(names)
        called = [_name(names, column) for column in range(len(row))]
        writer.row(called, row, f"row {number}")
    return wider


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
