"""Parsed documents: names, tags and dates, and the pieces they are split into."""

import hashlib
import re
import unicodedata
from dataclasses import dataclass
from datetime import date
from typing import Any

MAX_DOCUMENT_BYTES = 10 * 1024 * 1024
MAX_TAGS, MAX_TAG_CHARACTERS = 20, 60
DEFAULT_COLLECTION = "documents"
QUOTED = "Earlier message"  # prefix of the headings of quoted messages
_LETTER_OR_DIGIT = re.compile(r"[^\W_]")


@dataclass(frozen=True)
class Heading:
    """A heading from `start` to `end` (characters, including markup); level 1 is the highest."""

    start: int
    end: int
    level: int
    text: str


@dataclass(frozen=True)
class Part:
    """The start of a page, slide or sheet; no passage spans two parts.

    `name` appears in citations, such as `page iv`, `slide 3` or `sheet Prices`; `page` is its number, from 1, if a
    viewer can open it there.
    """

    start: int
    name: str
    page: int | None = None


@dataclass(frozen=True)
class Row:
    """A range of text that is retrieved and cited as a unit: a table row, or a term with its definition.

    It includes column names, so that it is self-contained. `name` is its place, such as `row 14`, "" if rows are not
    counted.
    """

    start: int
    end: int
    name: str = ""


@dataclass(frozen=True)
class Table:
    """A range of related rows; every passage of it carries its `caption`."""

    start: int
    end: int
    caption: str = ""


@dataclass(frozen=True)
class Labels:
    """Tags normalized by `tag`, and an ISO 8601 day or None."""

    tags: tuple[str, ...] = ()
    date: str | None = None


@dataclass(frozen=True)
class Document:
    """The content of a file: key, title, citable text, and headings in order.

    The key is an object's in the bucket, a file's path below its directory (with slashes), or a page's address. `parts`
    are the pages, slides or sheets; the first begins with the text. `rows` and `tables` are in text order and do not
    overlap among themselves. `warnings` has a sentence per unreadable part. `tags` are normalized by `tag`, `date` by
    `day` (None without a date); searches can filter by both.
    """

    key: str
    title: str
    text: str
    headings: tuple[Heading, ...] = ()
    parts: tuple[Part, ...] = ()
    rows: tuple[Row, ...] = ()
    tables: tuple[Table, ...] = ()
    warnings: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    date: str | None = None


_MADE_OF: dict[str, Any] = {"headings": Heading, "parts": Part, "rows": Row, "tables": Table}


def document_from(value: dict[str, Any]) -> Document:
    """Return a Document from its `asdict` form in JSON."""
    ranges = {name: tuple(kind(**each) for each in value[name]) for name, kind in _MADE_OF.items()}
    return Document(**{**value, **{name: tuple(value[name]) for name in ("warnings", "tags")}, **ranges})


@dataclass(frozen=True)
class Piece:
    """A slice of a document's text, without outer white space.

    `title` is the path of headings above it, with its table's caption at the end; `heading` is the nearest heading or
    "". `locator` and `page` are the name and number of its part. `rows` are relative to the slice.
    """

    text: str
    title: str
    heading: str = ""
    page: int | None = None
    locator: str = ""
    rows: tuple[Row, ...] = ()


def tag(text: str) -> str:
    """Normalize a tag: case, width, spaces and control characters do not matter."""
    seen = "".join(" " if unicodedata.category(c) in ("Cc", "Cs") else c for c in text)
    # Normalized again, because folded letters may have a shorter form; this makes `tag` idempotent.
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", seen).casefold())
    return " ".join(folded.split())


def day(text: str) -> str:
    """Normalize an ISO 8601 day such as 2026-01-31; raises ValueError for other text."""
    return date.fromisoformat(text).isoformat()


def has_words(text: str) -> bool:
    """Return whether a text has a letter or digit."""
    return _LETTER_OR_DIGIT.search(text) is not None


def document_id(bucket: str, key: str) -> str:
    """Return the document id of an object: 32 hexadecimal digits."""
    return hashlib.sha256(f"{bucket}/{key}".encode()).hexdigest()[:32]


def collection_of(key: str) -> str:
    """Return an object's collection: the first part of its key."""
    first, slash, _ = key.partition("/")
    return first if slash else DEFAULT_COLLECTION


def generation_of(content: bytes, made_by: str, labels: object) -> str:
    """Return the content hash of a document: bytes, object labels and `made_by`."""
    return hashlib.sha256(f"{made_by}\n{labels}\n".encode() + content).hexdigest()[:16]


def passage_id(document: str, generation: str, position: int) -> str:
    """Return a passage's id, which depends only on its content."""
    return hashlib.sha256(f"{document}/{generation}/{position}".encode()).hexdigest()[:32]
