"""The names of a table's columns: a line that holds them, or letters without one."""

import re
from collections.abc import Sequence
from string import ascii_uppercase

# A number, alone or with its currency or unit of percent; a day or a time; yes or no; an address.
_DATA = re.compile(
    r"""[-+(]?(?:[$€£¥₩]|[A-Z]{3}\b)?\s?[-+]?[.,]?\d[\d.,'’\s\u00a0\u202f]*(?:e[-+]?\d+)?\)?\s?(?:[%‰$€£¥₩]|[A-Z]{3})?
    | \d{1,4}[-./]\d{1,2}(?:[-./]\d{1,4})?\.?(?:[T\s].*)?
    | \d{1,2}:\d\d.*
    | true | false
    | \S+@\S+\.\S+ | \w+://\S+""",
    re.VERBOSE | re.IGNORECASE,
)
_YEAR = re.compile(r"(?:19|20)\d\d")
_LONGEST_DATA = 100


def is_data(value: str) -> bool:
    """Return whether a value is a number, a date, a yes or no, or an address: nothing that a column is called."""
    return len(value) <= _LONGEST_DATA and _DATA.fullmatch(value.strip()) is not None


def names_columns(values: Sequence[str], below: Sequence[str]) -> bool:
    """Return whether these values may be what columns are called: none is data, save for years above other values."""
    for column, value in enumerate(values):
        under = below[column] if column < len(below) else ""
        if is_data(value) and not (_YEAR.fullmatch(value.strip()) and not _YEAR.fullmatch(under.strip())):
            return False
    return any(value.strip() for value in values)


def letters(column: int) -> str:
    """Return what a spreadsheet calls a column, counted from 0: A to Z, then AA."""
    called = ""
    while column >= 0:
        called = ascii_uppercase[column % 26] + called
        column = column // 26 - 1
    return called
