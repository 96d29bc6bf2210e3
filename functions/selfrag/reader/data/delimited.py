"""The rows of a CSV or TSV file, each on a line in which every value is named by its column."""

import csv
import re
from collections import Counter
from collections.abc import Iterator
from functools import partial
from io import StringIO
from itertools import dropwhile, islice

from selfrag.domain.documents import Document
from selfrag.domain.errors import BadDocument
from selfrag.domain.writing import Writer
from selfrag.reader.data.tables import DataRow, DataTables, flush_lines

# In the order in which they are believed where several divide the rows alike: numbers may hold commas.
_DELIMITERS = ";\t|,"
_NONE = "\x1f"  # a table of one column has no delimiter; no file has this control character
_SAMPLE_ROWS, _SAMPLE_CHARACTERS = 20, 20_000
# Excel's own first line, which sets the delimiter and is not shown.
_SEPARATOR = re.compile(r'"?sep=(.)"?(?:\r\n?|\n)', re.IGNORECASE)
_TEXT_OF_DIGITS = re.compile(r'="([^"]*+)"')  # how programs keep Excel from taking 00123 for a number
_FIRST_LEVEL = 1


def read_csv(key: str, text: str) -> Document:
    """A table, by the delimiter that divides the first rows most evenly; its first line of names names the columns.

    Raises BadDocument.
    """
    separator = _SEPARATOR.match(text)
    text = text[separator.end() :] if separator else text
    evenness = partial(_evenness, text[:_SAMPLE_CHARACTERS])
    delimiter = separator[1] if separator else max(_NONE + _DELIMITERS, key=evenness)
    rows = csv.reader(StringIO(text, newline=""), delimiter=delimiter)
    writer, above = Writer(key), list[str]()
    tables = DataTables(writer, _FIRST_LEVEL, above)
    try:
        tables.write(_lines(rows), 1 if delimiter == _NONE else 2)
    except csv.Error as error:
        sentence = "a quotation mark is never closed, or a value is too long; correct it"
        raise BadDocument(f"{key} is not a valid CSV file (line {rows.line_num}): {sentence}.") from error
    flush_lines(writer, above)
    if tables.wider:
        count = f"{tables.wider} of {len(writer.rows)}"
        writer.warnings.append(f"{key} has rows with more values than its first row has names ({count}).")
    return writer.document()


def _lines(rows: Iterator[list[str]]) -> Iterator[DataRow]:
    """Yield the rows that hold a value, numbered as a spreadsheet does: a value of several lines is in one row."""
    apart = False
    for number, row in enumerate(rows, 1):
        if any(map(str.strip, row)):
            yield DataRow(
                number, [_TEXT_OF_DIGITS.sub(r"\1", value, 1) if value[:2] == '="' else value for value in row], apart
            )
            apart = False
        else:
            apart = True


def _evenness(sample: str, delimiter: str) -> float:
    """Return the number of first rows that have as many values as most, more than one; lines above do not count."""
    rows = csv.reader(StringIO(sample, newline=""), delimiter=delimiter)
    try:
        widths = [len(row) for row in islice(rows, _SAMPLE_ROWS) if row]
    except csv.Error:
        return 0
    below = list(dropwhile(lambda width: width == 1, widths))
    # Below a line without any, what always has a space after it stands in sentences.
    if not below or (below != widths and sample.count(delimiter) == sample.count(delimiter + " ")):
        return 0
    return Counter(width for width in below if width > 1).most_common(1)[0][1] / len(below)
