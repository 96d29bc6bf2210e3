"""Finds the pages of a document that text recognition has to read: they show something, and no reader found a word."""

import base64
import hashlib
import json
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PurePosixPath

from selfrag.domain.documents import Document, has_words
from selfrag.domain.errors import BadDocument
from selfrag.reader.processes.pool import ContainedFunction

# What recognised text depends on beside the pages: another number has all of them recognised anew.
_METHOD = "1"
_EXTRACT = ContainedFunction("selfrag.reader.scans.extraction:extract", "PDF", "print it to a new PDF")
HOW = 'text recognition reads them: `text_recognition = "lines"` in Terraform, or on a laptop tesseract on the PATH'


@dataclass(frozen=True)
class Scan:
    """Pages to be recognised (numbers from 1), the first of them as a PDF of their own, and a name of their content.

    `of` is how many pages the document has, `left` are those that are not in the PDF, because there are too many.
    """

    name: str
    pages: tuple[int, ...]
    left: tuple[int, ...]
    of: int
    pdf: bytes


def scan_of(key: str, content: bytes, document: Document | None, most: int) -> Scan | None:
    """Return the pages of a PDF that show something and hold no text; None if there is none, or if it cannot be told.

    `document` is what a reader made of it, None if that found no word. Raises Misconfigured.
    """
    if PurePosixPath(key).suffix.lower() != ".pdf":
        return None
    pages = None if document is None else wordless_pages(document)
    if pages == []:
        return None
    try:
        extract = _EXTRACT(key, content, pages=pages, most=most)
    except BadDocument:
        return None
    if not extract["pages"]:
        return None
    first = extract["pages"][:most]
    name = hashlib.sha256(json.dumps([_METHOD, first]).encode() + b"\n" + content).hexdigest()
    return Scan(name, tuple(first), tuple(extract["pages"][most:]), extract["of"], base64.b64decode(extract["pdf"]))


def wordless_pages(document: Document) -> list[int]:
    """Return the numbers of the pages on which a reader found no word."""
    ends = [part.start for part in document.parts[1:]] + [len(document.text)]
    return [
        part.page
        for part, end in zip(document.parts, ends, strict=True)
        if part.page is not None and not has_words(document.text[part.start : end])
    ]


def stretches(pages: tuple[int, ...]) -> list[str]:
    """Return numbers of pages as a sentence names them, neighbours as one stretch."""
    firsts = [pages[0], *(page for before, page in pairwise(pages) if page != before + 1)]
    lasts = [*(before for before, page in pairwise(pages) if page != before + 1), pages[-1]]
    return [f"{first}" if first == last else f"{first} to {last}" for first, last in zip(firsts, lasts, strict=True)]
