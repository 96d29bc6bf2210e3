"""Files of a bucket as Documents: read in a worker process, with their labels and the pages to be recognised."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from selfrag.domain.documents import MAX_DOCUMENT_BYTES, Document, Part, document_from
from selfrag.domain.errors import BadDocument
from selfrag.domain.kinds import ending_of
from selfrag.domain.writing import listed
from selfrag.reader.labels import last_modified, of_object
from selfrag.reader.processes import pool
from selfrag.reader.processes.pool import ContainedFunction, WorkerFailure
from selfrag.reader.scans.detection import HOW, Scan, scan_of, stretches

MAX_SECONDS_A_PAGE = 10
MAX_SECONDS_AN_ATTACHMENT = 20
MAX_TRIES = 4
# What the reader of PDF says of such pages, which does not know whether they are recognised.
SCANNED = "perhaps scanned"
_PARSE = "selfrag.reader.readers:parse_here"
_FILE, _PDF = ContainedFunction(_PARSE), ContainedFunction(_PARSE, "PDF", "print it to a new PDF")


def read_guarded(key: str, content: bytes) -> Document:
    """Return a file as a Document; raises BadDocument, also if the file takes too much memory or time.

    Raises Misconfigured if no such file can be read here, as when a library is missing, and TemporarilyUnavailable if
    the worker processes are stopped meanwhile.
    """
    reader, seconds = (_PDF, MAX_SECONDS_A_PAGE) if ending_of(key) == ".pdf" else (_FILE, MAX_SECONDS_AN_ATTACHMENT)
    without, began = list[int](), time.monotonic()
    while True:
        try:
            return document_from(reader(key, content, without=without, seconds=seconds))
        except WorkerFailure as stopped:
            late = time.monotonic() - began > pool.MAX_SECONDS / 2  # a function has no time for one more whole try
            if not stopped.at or late or len(without) + 1 == MAX_TRIES:
                raise
            without.append(stopped.at)


@dataclass(frozen=True)
class FileContent:
    """A file as it was read: its document, or the reason why there is none, and the pages to be recognised."""

    document: Document | None
    reason: str = ""
    scan: Scan | None = None


def read_file(
    key: str, content: bytes, metadata: Mapping[str, str], *, recognition: bool, most_pages: int
) -> FileContent:
    """Return a file with the labels in its metadata; of its pages without text `most_pages` are to be recognised.

    Without `recognition` there are none, and a warning names the pages. A page or an attachment on which the worker
    process ends is left out.
    """
    try:
        document, reason = read_guarded(key, content), ""
    except BadDocument as error:
        document, reason = None, str(error)
    # A file that nothing reads is not looked through for pictures, if it is too large or broken.
    scan = None if len(content) > MAX_DOCUMENT_BYTES else scan_of(key, content, document, most_pages)
    if document is None:
        if scan is None or not recognition:
            pictures = f"{key} shows pictures and holds no text on any of its {scan.of if scan else 0} pages; {HOW}."
            return FileContent(None, pictures if scan else reason)
        # A document of pages on which no word was found yet.
        pages = tuple(Part(number - 1, f"page {number}", number) for number in range(1, scan.of + 1))
        document = Document(key, PurePosixPath(key).name, "\n" * (scan.of - 1), parts=pages)
    labels = {name: label for name, label in vars(of_object(metadata)).items() if label}
    document = replace(_with_warning(document, scan, recognition), **labels)
    document = replace(document, date=document.date or last_modified(metadata))
    return FileContent(document, scan=scan if recognition else None)


def _with_warning(document: Document, scan: Scan | None, recognition: bool) -> Document:
    """Return the document, with a warning of the pages that are not read, in place of the reader's own."""
    if scan is None:
        return document
    warnings = [warning for warning in document.warnings if SCANNED not in warning]
    if unread := scan.left if recognition else (*scan.pages, *scan.left):
        why = "more than are recognised of one document (`text_recognition_pages`)" if recognition else HOW
        pages = listed(stretches(unread))
        warnings.append(
            f"{document.key} has pages that show pictures and hold no text, which were not read: {pages}; {why}."
        )
    return replace(document, warnings=tuple(warnings))
