"""Detection of header rows in tables without markup for them."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import zip_longest

from selfrag.domain.documents import has_words

MAX_NAME = 100  # maximum length of a column name
_NUMBERS_BEGIN = 3  # the first digit of a number is within so many characters, as in -1 or v2
# A number, alone or with its currency or unit of percent; a day or a time; yes or no; an address.
_DATA = re.compile(
    r"""[-+(]?(?:[$€£¥₩]|[A-Z]{3}\b)?\s?[-+]?[.,]?\d[\d.,'’\s\u00a0\u202f]*(?:e[-+]?\d+)?\)?\s?(?:[%‰$€£¥₩]|[A-Z]{3})?
    | \d{1,4}[-./]\d{1,2}(?:[-./]\d{1,4})?\.?(?:[T\s].*)?
    | \d{1,2}:\d\d.*
    | true | false
    | \S+@\S+\.\S+ | \w+://\S+""",
    re.VERBOSE | re.IGNORECASE,
)
YEAR = re.compile(r"(?:19|20)\d\d")
_LONGEST_DATA = 100
MAX_CARD_ROWS, _MAX_LABEL = 30, 50
_DAY_OR_TIME = re.compile(r"\d{1,4}[-./]\d{1,2}[-./]\d{1,4}|\d{1,2}:\d\d")
_NO_UNIT = re.compile(r"[\d\s.,'’:/()+-]+")


def look_like_names(first: Sequence[str], below: Sequence[Sequence[str]], likely: bool = False) -> bool:
    """Return whether a row names the columns: distinct words above a row with a number.

    A row above text-only rows counts as a header only if `likely`.
    """
    named = first if first[0] else first[1:]
    beginnings = (text[:_NUMBERS_BEGIN] for row in below for text in row)
    has_data = (likely and len(below) > 1) or any(any(map(str.isdigit, text)) for text in beginnings)
    words = all(has_words(text) and len(text) <= MAX_NAME for text in named)
    no_counts = all(not text[0].isdigit() or YEAR.fullmatch(text) for text in named)
    distinct = len(set(named)) == len(named) > 1
    years = [next(filter(YEAR.fullmatch, column), "") for column in zip_longest(*below, fillvalue="")]
    return has_data and words and no_counts and distinct and names_columns(first, years)


def is_data(value: str) -> bool:
    """Return whether a value is a number, a date, a boolean or an address, which never names a column."""
    return len(value) <= _LONGEST_DATA and _DATA.fullmatch(value.strip()) is not None


def names_columns(values: Sequence[str], below: Sequence[str]) -> bool:
    """Return whether the values may be column names: no data except years above other values."""
    for column, value in enumerate(values):
        under = below[column] if column < len(below) else ""
        if is_data(value) and not (YEAR.fullmatch(value.strip()) and not YEAR.fullmatch(under.strip())):
            return False
    return any(value.strip() for value in values)


def is_card(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether each row is a label with its value, so that no row is a header.

    Labels are distinct words. Either they end in colons, or the values are of several kinds.
    """
    pairs = [(row[0].strip(), "".join(row[1:2]).strip()) for row in rows if not any(row[2:]) and any(row)]
    labels = {label for label, _ in pairs if len(label) <= _MAX_LABEL and label[-1:] not in ".?!。？！"}
    values = [value for _, value in pairs if value]
    if not 1 < len(values) <= len(pairs) == len(rows) == len(labels):
        return False
    if all(label.endswith((":", "：")) for label in labels):
        return True
    if any(map(_kind, labels)):
        return False
    kinds = list(map(_kind, values[1:]))
    most = Counter(filter(None, kinds)).most_common(1)
    # Most values of one kind, such as amounts, are a column, and the first row has its name, which is no code.
    has_numbers = any(map(_NO_UNIT.fullmatch, values[1:]))
    is_code = _kind(values[0]) == "code" and len(set(kinds)) == len(kinds) > 1 and not has_numbers
    return bool(most) and (is_code or most[0][1] * 2 < len(kinds))


def _kind(value: str) -> str:
    """Return the unit of a measure, or what else tells data of one kind from others; "" for words."""
    if _DAY_OR_TIME.match(value):
        return "day"
    if is_data(value):
        return "@" if "@" in value or "://" in value else "number"
    if not any(map(str.isdigit, value[:_NUMBERS_BEGIN])):
        return ""
    return _NO_UNIT.sub("", value) if " " in value else "code"
