"""A document as ingestion reads it, its names, its tags and date, and the pieces that it is cut into."""

import hashlib
import re
import unicodedata
from dataclasses import dataclass
from datetime import date
from typing import Any

MAX_DOCUMENT_BYTES = 10 * 1024 * 1024
MAX_TAGS, MAX_TAG_CHARACTERS = 20, 60
DEFAULT_COLLECTION = "documents"
QUOTED = "Earlier message"  # how the heading of a message begins that another one quotes
_LETTER_OR_DIGIT = re.compile(r"[^\W_]")


@dataclass(frozen=True)
class Heading:
    """A heading from `start` to `end` (characters of the text, its markup included); level 1 is the highest."""

    start: int
    end: int
    level: int
    text: str


@dataclass(frozen=True)
class Part:
    """The start of a page, a slide or a sheet in the text; no passage runs on into the next.

    `name` is its name in a citation, such as `page iv`, `slide 3` or `sheet Prices`; `page` is its number, counted from
    1, if a viewer can open it there.
    """

    start: int
    name: str
    page: int | None = None


@dataclass(frozen=True)
class Row:
    """A stretch of the text that is found and cited whole: a row of a table, or a term with its definition.

    It includes the names of its values, so that it can be understood alone. `name` is its place for a person, such as
    `row 14`, "" if rows are not counted.
    """

    start: int
    end: int
    name: str = ""


@dataclass(frozen=True)
class Table:
    """A stretch of rows that belong together; `caption` is their subject, which every passage of it carries."""

    start: int
    end: int
    caption: str = ""


@dataclass(frozen=True)
class Labels:
    """Tags as `tag` makes them, and a day in ISO 8601; None if there is none."""

    tags: tuple[str, ...] = ()
    date: str | None = None


@dataclass(frozen=True)
class Document:
    """The content of a file: its key, a title, the text that is cited, and the headings in order.

    The key is an object's in the bucket, or a file's path below its directory, with slashes, or a page's address.
    `parts` are the pages, slides or sheets of a format that has them: the first begins with the text. `rows` and
    `tables` are in the order of the text, and do not overlap among themselves. `warnings` has a sentence for each part
    that could not be read. `tags` are normalised by `tag`, `date` by `day`, None if the document has none; searches can
    filter by both.
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
    """Return a Document that went through `asdict` and JSON."""
    ranges = {name: tuple(kind(**each) for each in value[name]) for name, kind in _MADE_OF.items()}
    return Document(**{**value, **{name: tuple(value[name]) for name in ("warnings", "tags")}, **ranges})


@dataclass(frozen=True)
class Piece:
    """A slice of a document's text, without outer white space.

    `title` is the path of headings above it, the caption of its table last, and `heading` the nearest of them ("" if
    there is none). `locator` is the name of the part in which it stands, `page` that part's number. `rows` are
    counted from the slice's own beginning.
    """

    text: str
    title: str
    heading: str = ""
    page: int | None = None
    locator: str = ""
    rows: tuple[Row, ...] = ()


def tag(text: str) -> str:
    """Return a tag in the form that is compared: case, width, spaces, and control characters do not count."""
    seen = "".join(" " if unicodedata.category(c) in ("Cc", "Cs") else c for c in text)
    # Normalized again, because folded letters may have a shorter form: a tag's tag is the tag itself.
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", seen).casefold())
    return " ".join(folded.split())


def day(text: str) -> str:
    """Return a day in ISO 8601, such as 2026-01-31; raises ValueError for any other text."""
    return date.fromisoformat(text).isoformat()


def has_words(text: str) -> bool:
    """Return whether a text holds a letter or a digit."""
    return _LETTER_OR_DIGIT.search(text) is not None


def document_id(bucket: str, key: str) -> str:
    """Return the id of an object as a document: 32 hexadecimal digits."""
    return hashlib.sha256(f"{bucket}/{key}".encode()).hexdigest()[:32]


def collection_of(key: str) -> str:
    """Return the collection that an object belongs to: the first part of its key."""
    first, slash, _ = key.partition("/")
    return first if slash else DEFAULT_COLLECTION


def generation_of(content: bytes, made_by: str, labels: object) -> str:
    """Return the hash of a document's content: its bytes, the object's labels, and `made_by`."""
    return hashlib.sha256(f"{made_by}\n{labels}\n".encode() + content).hexdigest()[:16]


def passage_id(document: str, generation: str, position: int) -> str:
    """Return the id of a passage: the same for the same content, another one for any other."""
    return hashlib.sha256(f"{document}/{generation}/{position}".encode()).hexdigest()[:32]
