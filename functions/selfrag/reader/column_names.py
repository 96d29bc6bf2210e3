"""The first row of a table that nothing marks as names: whether its texts name the columns."""

import re
from collections.abc import Sequence

from selfrag.domain.documents import has_words

MAX_NAME = 100  # characters; nothing longer is the name of a column
_NUMBERS_BEGIN = 3  # characters within which the first digit of a number stands, such as that of -1 or v2
_YEAR = re.compile(r"(?:19|20)\d\d")


def look_like_names(first: Sequence[str], below: Sequence[Sequence[str]], likely: bool = False) -> bool:
    """Return whether the texts of a row are words or years that differ, above rows of which one holds a number.

    Of rows of words alone it cannot be told whether the first names the others, unless that is `likely`.
    """
    named = first if first[0] else first[1:]
    distinct = len(set(named)) == len(named) > 1
    has_data = (likely and len(below) > 1) or any(map(_is_a_number, (text for row in below for text in row)))
    years = any(_YEAR.fullmatch(text) for row in below for text in row)
    return has_data and distinct and all(len(text) <= MAX_NAME and _is_a_name(text, years) for text in named)


def _is_a_name(text: str, years_below: bool) -> bool:
    return has_words(text) and (not text[0].isdigit() or (not years_below and _YEAR.fullmatch(text) is not None))


def _is_a_number(text: str) -> bool:
    return any(map(str.isdigit, text[:_NUMBERS_BEGIN]))
