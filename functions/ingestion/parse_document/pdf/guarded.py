"""Reads a PDF in a process of its own; a page on which that process ends is left out, and the others are read."""

import time

from ingestion.parse_document import contained
from ingestion.parse_document.contained import Contained, Stopped
from ingestion.parse_document.kinds import PDF, refuse_other_kinds
from selfrag.domain.documents import Document, document_from

MAX_SECONDS_A_PAGE = 10
MAX_TRIES = 4
_READING, _CURE = "ingestion.parse_document.pdf.reading", "print it to a new PDF"
_READ = Contained(f"{_READING}:read_here", "PDF", _CURE)
_LOOK = Contained(f"{_READING}:pages_without_text", "PDF", _CURE)


def read_contained(key: str, content: bytes) -> Document:
    """Return the text of a PDF by page; raises BadDocument, also if the file takes too much memory or time.

    Raises Misconfigured if no PDF can be read here, as when PDFium is missing.
    """
    refuse_other_kinds(key, content, PDF)
    without, begun = list[int](), time.monotonic()
    while True:
        try:
            return document_from(_READ(key, content, without=without, seconds=MAX_SECONDS_A_PAGE))
        except Stopped as stopped:
            late = time.monotonic() - begun > contained.MAX_SECONDS / 2  # a function has no time for one more whole try
            if not stopped.at or late or len(without) + 1 == MAX_TRIES:
                raise
            without.append(stopped.at)


def pages_without_text(key: str, content: bytes) -> list[int]:
    """The pages, from 1, that show pictures and hold no text, so that recognition may find some; raises BadDocument."""
    refuse_other_kinds(key, content, PDF)
    found: list[int] = _LOOK(key, content)
    return found
