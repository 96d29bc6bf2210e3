"""Detection of pages for text recognition: visible content without text."""

import base64
import hashlib
import json
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PurePosixPath

from selfrag.domain.documents import Document, has_words
from selfrag.domain.errors import BadDocument
from selfrag.reader.processes.pool import ContainedFunction

# Version of the recognition method; a new one invalidates all recognised text.
_METHOD = "1"
_EXTRACT = ContainedFunction("selfrag.reader.scans.extraction:extract", "PDF", "print it to a new PDF")
HOW = 'text recognition reads them: `text_recognition = "lines"` in Terraform, or on a laptop tesseract on the PATH'


@dataclass(frozen=True)
class Scan:
    """Pages to recognise (from 1), the first of them as a PDF, and a content hash as its name.

    `of` is the document's page count; `left` are the pages beyond the limit.
    """

    name: str
    pages: tuple[int, ...]
    left: tuple[int, ...]
    of: int
    pdf: bytes


def scan_of(key: str, content: bytes, document: Document | None, most: int) -> Scan | None:
    """Return the PDF pages with visible content but no text; None if there are none or it is unknown.

    `document` is the parsed file, or None if it has no words. Raises Misconfigured.
    """
    if PurePosixPath(key).suffix.lower() != ".pdf":
        return None
    pages = None
    if document:
        ends = [part.start for part in document.parts[1:]] + [len(document.text)]
        texts = [(part.page, document.text[part.start : end]) for part, end in zip(document.parts, ends, strict=True)]
        pages = [page for page, text in texts if page is not None and not has_words(text)]
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


def stretches(pages: tuple[int, ...]) -> list[str]:
    """Return page numbers as ranges for a sentence."""
    firsts = [pages[0], *(page for before, page in pairwise(pages) if page != before + 1)]
    lasts = [*(before for before, page in pairwise(pages) if page != before + 1), pages[-1]]
    return [f"{first}" if first == last else f"{first} to {last}" for first, last in zip(firsts, lasts, strict=True)]
