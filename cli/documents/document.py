"""What a file says: its text, and where its headings stand."""

import re
from dataclasses import dataclass

from selfrag.errors import InvalidInput

_LETTER_OR_DIGIT = re.compile(r"[^\W_]")


class BadDocument(InvalidInput):
    """A file cannot be used as a document; the message names it and says why."""

    hint = "Correct or remove the file and ingest the directory again."


@dataclass(frozen=True)
class Heading:
    """A heading from `start` to `end` (characters of the text, its markup included); level 1 is the highest."""

    start: int
    end: int
    level: int
    text: str


@dataclass(frozen=True)
class Document:
    """One file: its path below the directory, a title, the text that is cited, and the headings in order."""

    path: str
    title: str
    text: str
    headings: tuple[Heading, ...] = ()


def has_words(text: str) -> bool:
    """Whether a text holds a letter or a digit."""
    return _LETTER_OR_DIGIT.search(text) is not None
