"""Document labels: tags and a date."""

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from urllib.parse import unquote

from selfrag.domain.documents import MAX_TAG_CHARACTERS, MAX_TAGS, Labels, day, has_words, tag

_BETWEEN_TAGS = re.compile(r"[,;]")
_NAMES = ("jan", "feb", "mar mär", "apr", "may mai", "jun", "jul", "aug", "sep", "oct okt", "nov", "dec dez")
_MONTHS = {name: str(number) for number, names in enumerate(_NAMES, 1) for name in names.split()}
# An ambiguous date such as 01/02/2026 is ignored.
_YEAR_FIRST = re.compile(r"(\d{4})[-/.年년] ?(\d{1,2})[-/.月월] ?(\d{1,2})(?!\d)")
_YEAR_LAST = re.compile(r"(\d{1,2})\. ?(\d{1,2})\. ?(\d{4})(?!\d)")
_NAMED = re.compile(
    r"(?:[a-z]+, )?(?:(\d{1,2})(?:st|nd|rd|th|\.)? )?([a-zä]{3})[a-z]*\.?,? (?:(\d{1,2})(?:st|nd|rd|th)?,? )?(\d{4})\b"
)
_COMPACT = re.compile(r"^(20\d\d)(\d\d)(\d\d)(?!\d)")
_WORD_START = re.compile(r"(?<![^\W_])[^\W_]")
_SEARCHED = 200


def labels(tags: Iterable[str], date: str) -> Labels:
    """Return labels: tags separated by commas or semicolons, and the day of a date.

    Invalid values are dropped; at most MAX_TAGS tags of at most MAX_TAG_CHARACTERS characters are kept.
    """
    texts = [text for text in tags for text in _BETWEEN_TAGS.split(text)]
    distinct = dict.fromkeys(map(tag, texts))
    valid = [text for text in distinct if has_words(text) and len(text) <= MAX_TAG_CHARACTERS]
    return Labels(tuple(valid[:MAX_TAGS]), _day(date.strip()))


def object_labels(metadata: Mapping[str, str]) -> Labels:
    """Return the labels in an object's metadata, which is ASCII: other letters are percent-encoded."""
    return labels([unquote(metadata.get("tags", ""))], unquote(metadata.get("date", "")))


def last_modified(metadata: Mapping[str, str]) -> str | None:
    """Return the date of last change in an object's metadata, for documents without a date."""
    return _day(metadata.get("modified", ""))


def day_in(*texts: str) -> str | None:
    """Return the first day in these texts, such as a file's name and its title."""
    places = ((text, start.start()) for text in texts for start in _WORD_START.finditer(text[:_SEARCHED]))
    return next((day for text, at in places if (day := _day(_COMPACT.sub(r"\1-\2-\3", text[at : at + 40])))), None)


def _day(text: str) -> str | None:
    """Return the day with which a text begins."""
    year = month = number = ""
    if match := _YEAR_FIRST.match(text):
        year, month, number = match.groups()
    elif match := _YEAR_LAST.match(text):
        number, month, year = match.groups()
    elif (match := _NAMED.match(text.lower())) and match[2] in _MONTHS and bool(match[1]) != bool(match[3]):
        year, month, number = match[4], _MONTHS[match[2]], match[1] or match[3]
    with suppress(ValueError):
        return day(f"{year}-{month:0>2}-{number:0>2}" if year else text[:10])
    return None
