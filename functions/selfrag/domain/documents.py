"""A document as ingestion reads it, its names, its tags and date, and the pieces that it is cut into."""

import hashlib
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import PurePosixPath
from typing import Any

# The kinds that parse_document reads; the API accepts no others for upload.
_OFFICE = (".docx", ".eml", ".epub", ".odp", ".odt", ".pptx")
_DATA = (".csv", ".json", ".jsonl", ".ndjson", ".ods", ".tsv", ".xls", ".xlsb", ".xlsm", ".xlsx")
EXTENSIONS = frozenset((".htm", ".html", ".markdown", ".md", ".pdf", ".text", ".txt", *_OFFICE, *_DATA))
_ARCHIVE = "an archive; unpack it, and add the files that it holds"
# Known kinds that are refused, by ending: the name of the kind, and what to do.
REFUSED: Mapping[str, str] = {
    **dict.fromkeys((".7z", ".bz2", ".gz", ".rar", ".tar", ".tgz", ".xz", ".zip"), _ARCHIVE),
    ".doc": "a Word document of the old kind; save it as .docx",
    ".docm": "a Word document with macros; save it as .docx",
    ".dot": "a Word template of the old kind; save it as .docx",
    ".key": "a Keynote presentation; export it as .pptx or PDF",
    ".msg": "a message in Outlook's own form; save it as .eml",
    ".numbers": "a Numbers spreadsheet; export it as .xlsx or .csv",
    ".pages": "an Apple iWork document; export it as an Office document or PDF",
    ".ppt": "a PowerPoint presentation of the old kind; save it as .pptx",
    ".pptm": "a PowerPoint presentation with macros; save it as .pptx",
    ".rtf": "an RTF document; save it as .docx",
}
MAX_DOCUMENT_BYTES = 10 * 1024 * 1024
MAX_TAGS, MAX_TAG_CHARACTERS = 20, 60
DEFAULT_COLLECTION = "documents"
_LETTER_OR_DIGIT = re.compile(r"[^\W_]")
# The key of a web page: a collection, a slash, and the page's address.
_WEB_PAGE = re.compile(r"[^/]+/https?://")


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
    made = {name: tuple(kind(**each) for each in value[name]) for name, kind in _MADE_OF.items()}
    return Document(**{**value, **{name: tuple(value[name]) for name in ("warnings", "tags")}, **made})


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


def ending_of(key: str) -> str:
    """Return the ending that tells a file's kind, in small letters; a web page without one that is read has .html."""
    # Of an address without a path the last name would be the host, such as example.md.
    ending = PurePosixPath(key.rpartition("/")[2]).suffix.lower()
    return ".html" if ending not in EXTENSIONS and _WEB_PAGE.match(key) else ending


def of_a_kind_that_is_read(key: str) -> bool:
    """Return whether the ending of a file's name is that of a kind that is read."""
    return ending_of(key) in EXTENSIONS


def refused_as(key: str) -> str:
    """Return the name of a refused kind and what to do, by a file's ending; "" for all others."""
    return REFUSED.get(PurePosixPath(key).suffix.lower(), "")


def put_by_a_program(key: str) -> bool:
    """Return whether an object is no person's file: a folder's marker, or a hidden file such as .DS_Store."""
    if _WEB_PAGE.match(key):
        return False
    hidden = any(part.startswith(".") for part in key.split("/"))
    return key.endswith("/") or (hidden and not of_a_kind_that_is_read(key))


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
