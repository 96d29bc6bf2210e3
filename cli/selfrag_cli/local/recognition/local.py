"""A local Recognizer: tesseract in background threads, with results stored in SQLite."""

import base64
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager

from typing_extensions import override

from selfrag.domain.errors import BadDocument
from selfrag.ports.recognizer import RecognizedPage, Recognizer
from selfrag.reader.processes.pool import ContainedFunction
from selfrag_cli.local.home import connect, open_transaction
from selfrag_cli.local.recognition import tesseract

# The calling state may take two minutes.
PATIENCE_SECONDS = 60.0
AT_ONCE = 2
_SCHEMA = """
CREATE TABLE IF NOT EXISTS recognized (
    name TEXT, page INTEGER, text TEXT NOT NULL, confidence REAL NOT NULL, PRIMARY KEY (name, page));
"""
_COUNT = ContainedFunction("selfrag_cli.local.recognition.rendering:page_count", "PDF", "print it to a new PDF")
_RENDER = ContainedFunction("selfrag_cli.local.recognition.rendering:render", "PDF", "print it to a new PDF")


@contextmanager
def local_recognizer() -> Iterator["LocalRecognizer | None"]:
    """Yield this machine's recognizer for the block; None without tesseract."""
    program = tesseract.program()
    if program is None:
        yield None
        return
    with closing(connect(_SCHEMA)) as connection:
        recognizer = LocalRecognizer(program, connection)
        try:
            yield recognizer
        finally:
            recognizer.stop()


class LocalRecognizer(Recognizer):
    """Recognizes pages in memory and stores their texts permanently by content."""

    def __init__(self, program: str, connection: sqlite3.Connection) -> None:
        self._program, self._connection = program, connection
        self._languages = tesseract.languages(program)
        self._lock, self._stopped = threading.Lock(), threading.Event()
        self._threads = ThreadPoolExecutor(AT_ONCE)
        # Start the threads now: a workflow's caller waits for threads started during it, but these continue.
        together = threading.Barrier(AT_ONCE)
        for begun in [self._threads.submit(together.wait) for _ in range(AT_ONCE)]:
            begun.result()
        self._pages: dict[str, bytes] = {}
        self._begun: dict[str, Future[Sequence[RecognizedPage]]] = {}

    @override
    def keep(self, name: str, pages: bytes) -> None:
        self._pages[name] = pages

    @override
    def begin(self, name: str) -> str:
        if name not in self._begun:
            self._begun[name] = self._threads.submit(self._all, name, self._pages[name])
        return "tesseract"

    @override
    def outcome(self, name: str, job: str) -> Sequence[RecognizedPage] | None:
        """Return the recognized pages; None after a minute."""
        self.begin(name)
        try:
            return self._begun[name].result(PATIENCE_SECONDS)
        except TimeoutError:
            return None

    def stop(self) -> None:
        """Cancel waiting pages and end running ones."""
        self._stopped.set()
        tesseract.stop()
        self._threads.shutdown(cancel_futures=True)

    def _all(self, name: str, pages: bytes) -> Sequence[RecognizedPage]:
        results = []
        for page in range(1, _COUNT(name, pages) + 1):
            if self._stopped.is_set():
                raise BadDocument("the command was ended")
            results.append(self._read_stored(name, page) or self._read(name, pages, page))
        return results

    def _read_stored(self, name: str, page: int) -> RecognizedPage | None:
        with self._lock:
            where = "SELECT text, confidence FROM recognized WHERE name = ? AND page = ?"
            row = self._connection.execute(where, (self._key_of(name), page)).fetchone()
        return None if row is None else RecognizedPage(page, *row)

    def _read(self, name: str, pages: bytes, page: int) -> RecognizedPage:
        picture = base64.b64decode(_RENDER(name, pages, page=page))
        read = tesseract.recognize(self._program, picture, page, self._languages)
        with self._lock, open_transaction(self._connection):
            row = (self._key_of(name), page, read.text, read.confidence)
            self._connection.execute("INSERT OR REPLACE INTO recognized VALUES (?, ?, ?, ?)", row)
        return read

    def _key_of(self, name: str) -> str:
        """Return a name for these pages and languages."""
        return f"{name} {self._languages}"
