"""Reads a file in a worker process; a page or attachment on which that process ends is left out, the rest is read."""

import time

from selfrag.domain.documents import Document, document_from
from selfrag.domain.kinds import ending_of
from selfrag.reader.processes import pool
from selfrag.reader.processes.pool import Contained, Stopped

MAX_SECONDS_A_PAGE = 10
MAX_SECONDS_AN_ATTACHMENT = 20
MAX_TRIES = 4
_PARSE = "selfrag.reader.readers:parse_here"
_FILE, _PDF = Contained(_PARSE), Contained(_PARSE, "PDF", "print it to a new PDF")


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
        except Stopped as stopped:
            late = time.monotonic() - began > pool.MAX_SECONDS / 2  # a function has no time for one more whole try
            if not stopped.at or late or len(without) + 1 == MAX_TRIES:
                raise
            without.append(stopped.at)
