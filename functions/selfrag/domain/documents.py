"""A document as ingestion reads it, its names, its tags and date, and the pieces that it is cut into."""

import hashlib
import re
import unicodedata
from dataclasses import dataclass
from datetime import date
from pathlib import PurePosixPath
from typing import Any

# What parse_document reads; the API promises no more than that to who uploads.
EXTENSIONS = frozenset({".csv", ".docx", ".htm", ".html", ".markdown", ".md", ".pdf", ".text", ".txt"})
MAX_DOCUMENT_BYTES = 10 * 1024 * 1024
MAX_TAGS, MAX_TAG_CHARACTERS = 20, 60
DEFAULT_COLLECTION = "documents"
_LETTER_OR_DIGIT = re.compile(r"[^\W_]")


@dataclass(frozen=True)
class Heading:
    """A heading from `start` to `end` (characters of the text, its markup included); level 1 is the highest."""

    start: int
    end: int
    level: int
    text: str


@dataclass(frozen=True)
class Document:
    """What a file says: its key, a title, the text that is cited, and the headings in order.

    The key is an object's in the bucket, or a file's path below its directory, with slashes. `pages` are the
    characters at which the pages of a PDF begin. In a table (`rows`) each line of the text is a row, the first one
    the names of the columns. `warnings` is a sentence for each thing that could not be read. `tags` are as `tag` makes
    them, `date` is a day as `day` does, None if the document has none: searches can be limited by both.
    """

    key: str
    title: str
    text: str
    headings: tuple[Heading, ...] = ()
    pages: tuple[int, ...] = ()
    rows: bool = False
    warnings: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    date: str | None = None


def document_from(value: dict[str, Any]) -> Document:
    """A Document that went through `asdict` and JSON."""
    headings = tuple(Heading(**heading) for heading in value["headings"])
    tuples = {name: tuple(value[name]) for name in ("pages", "warnings", "tags")}
    return Document(**{**value, **tuples, "headings": headings})


@dataclass(frozen=True)
class Piece:
    """A slice of a document's text, without outer white space.

    `title` is the path of headings above it, `heading` the nearest of them ("" if there is none), and `page` the
    page on which it begins, counted from 1 (None if the document has no pages).
    """

    text: str
    title: str
    heading: str = ""
    page: int | None = None


def tag(text: str) -> str:
    """A tag as it is compared: without regard to case, width and spaces, and without what cannot be sent or seen."""
    seen = "".join(" " if unicodedata.category(c) in ("Cc", "Cs") else c for c in text)
    # Normalized again, for folded letters may have a shorter form: a tag's tag is the tag itself.
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", seen).casefold())
    return " ".join(folded.split())


def day(text: str) -> str:
    """A day in ISO 8601, such as 2026-01-31; raises ValueError for what is none."""
    return date.fromisoformat(text).isoformat()


def has_words(text: str) -> bool:
    """Whether a text holds a letter or a digit."""
    return _LETTER_OR_DIGIT.search(text) is not None


def of_a_kind_that_is_read(key: str) -> bool:
    """Whether the end of a file's name says that it is a document, in a form that is read."""
    return PurePosixPath(key).suffix.lower() in EXTENSIONS


def put_by_a_program(key: str) -> bool:
    """Whether an object is no file of a person's: what stands for a folder, or something hidden such as .DS_Store."""
    hidden = any(part.startswith(".") for part in key.split("/"))
    return key.endswith("/") or (hidden and not of_a_kind_that_is_read(key))


def document_id(bucket: str, key: str) -> str:
    """The id of an object as a document: 32 hexadecimal digits."""
    return hashlib.sha256(f"{bucket}/{key}".encode()).hexdigest()[:32]


def collection_of(key: str) -> str:
    """The collection that an object belongs to: the first part of its key."""
    first, slash, _ = key.partition("/")
    return first if slash else DEFAULT_COLLECTION


def generation_of(content: bytes, made_by: str, labels: object) -> str:
    """What tells one content of a document from another: the bytes, the object's labels, and what made it."""
    return hashlib.sha256(f"{made_by}\n{labels}\n".encode() + content).hexdigest()[:16]


def passage_id(document: str, generation: str, position: int) -> str:
    """The id of a passage: the same again for the same content, another one for any other."""
    return hashlib.sha256(f"{document}/{generation}/{position}".encode()).hexdigest()[:32]
