"""Names of files in a question, such as "minutes-2026-06-09" or "zx-manual-47.md"."""

import re
import unicodedata
from urllib.parse import quote

_NAME = re.compile(r"(?<![\w.-])\w++(?:[._-]++\w++)*+")
_TELLING = re.compile(r"[\d._-]")
MAX_NAMES = 8


def find_names(query: str) -> list[str]:
    """Return the words of a query that can only be a code or the name of a file: with digits, dots or hyphens."""
    words = dict.fromkeys(word for word in _NAME.findall(query) if _TELLING.search(word) and not word.isdecimal())
    return list(words)[:MAX_NAMES]


def is_named(query: str, document: str) -> bool:
    """Return whether a query has the name of a document's file, with or without its ending.

    A name of one word or number, such as leave.md, is only recognised with its ending.
    """
    name = file_name(document)
    stem = name.rpartition(".")[0]
    is_telling = _TELLING.search(stem) is not None and not stem.isdecimal()
    return bool(name) and (_contains(query, name) or (is_telling and _contains(query, stem)))


def file_name(document: str) -> str:
    """Return the name of a document's file, "" for a document that is no file with an ending."""
    name = document.rsplit("/", 1)[-1]
    return name if "." in name.strip(".") else ""


def _contains(query: str, name: str) -> bool:
    text, word = (unicodedata.normalize("NFKC", each).casefold() for each in (query, name))
    return re.search(rf"(?<![a-z0-9]){re.escape(word)}(?![a-z0-9])", text) is not None


def disposition(key: str, inline: bool) -> str:
    """Return the header `Content-Disposition` by which a browser shows a file, or keeps it under its name."""
    return f"{'inline' if inline else 'attachment'}; filename*=UTF-8''{quote(key.rpartition('/')[2], safe='')}"
