"""Files of a bucket as Documents: parsed in a worker process, with labels and pages for text recognition."""

import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import PurePosixPath

from selfrag.domain.documents import MAX_DOCUMENT_BYTES, Document, Part, document_from
from selfrag.domain.errors import BadDocument
from selfrag.domain.kinds import ending_of
from selfrag.domain.writing import list_names
from selfrag.reader.labels import last_modified, object_labels
from selfrag.reader.processes import pool
from selfrag.reader.processes.pool import ContainedFunction, WorkerFailure
from selfrag.reader.scans.detection import HOW, Scan, scan_of, stretches

MAX_SECONDS_A_PAGE = 10
MAX_SECONDS_AN_ATTACHMENT = 20
MAX_TRIES = 4
# The PDF reader's own warning, which does not know about text recognition.
SCANNED = "perhaps scanned"
_PARSE = "selfrag.reader.readers:parse_here"
_FILE, _PDF = ContainedFunction(_PARSE), ContainedFunction(_PARSE, "PDF", "print it to a new PDF")


def read_guarded(key: str, content: bytes) -> Document:
    """Parse a file; raises BadDocument, also if it takes too much memory or time.

    Raises Misconfigured if no such file can be read here, for example without a library, and TemporarilyUnavailable if
    the workers are stopped meanwhile.
    """
    reader, seconds = (_PDF, MAX_SECONDS_A_PAGE) if ending_of(key) == ".pdf" else (_FILE, MAX_SECONDS_AN_ATTACHMENT)
    without, began = list[int](), time.monotonic()
    while True:
        try:
            return document_from(reader(key, content, without=without, seconds=seconds))
        except WorkerFailure as stopped:
            late = time.monotonic() - began > pool.MAX_SECONDS / 2  # a function has no time for another full attempt
            if not stopped.at or late or len(without) + 1 == MAX_TRIES:
                raise
            without.append(stopped.at)


def read_file(
    key: str, content: bytes, metadata: Mapping[str, str], *, recognition: bool, most_pages: int
) -> tuple[Document | None, str, Scan | None]:
    """Parse a file with the labels of its metadata; up to `most_pages` pages without text go to recognition.

    Returns the document or the reason for its absence, and the pages to recognise. Without `recognition`, a warning
    names those pages. A page or attachment that crashes the worker is left out.
    """
    try:
        document, reason = read_guarded(key, content), ""
    except BadDocument as error:
        document, reason = None, str(error)
    # A file that no reader accepts may still be a scan, unless it is too large.
    scan = None if len(content) > MAX_DOCUMENT_BYTES else scan_of(key, content, document, most_pages)
    if document is None:
        if scan is None or not recognition:
            pictures = f"{key} shows pictures and holds no text on any of its {scan.of if scan else 0} pages; {HOW}."
            return None, pictures if scan else reason, None
        # A document of empty pages, all awaiting recognition.
        pages = tuple(Part(number - 1, f"page {number}", number) for number in range(1, scan.of + 1))
        document = Document(key, PurePosixPath(key).name, "\n" * (scan.of - 1), parts=pages)
    labels = {name: label for name, label in vars(object_labels(metadata)).items() if label}
    document = replace(_replace_scan_warning(document, scan, recognition), **labels)
    document = replace(document, date=document.date or last_modified(metadata))
    return document, "", scan if recognition else None


def _replace_scan_warning(document: Document, scan: Scan | None, recognition: bool) -> Document:
    """Replace the reader's warning about scanned pages by one that lists the unread pages."""
    if scan is None:
        return document
    warnings = [warning for warning in document.warnings if SCANNED not in warning]
    if unread := scan.left if recognition else (*scan.pages, *scan.left):
        why = "more than are recognised of one document (`text_recognition_pages`)" if recognition else HOW
        pages = list_names(stretches(unread))
        warnings.append(
            f"{document.key} has pages that show pictures and hold no text, which were not read: {pages}; {why}."
        )
    return replace(document, warnings=tuple(warnings))
