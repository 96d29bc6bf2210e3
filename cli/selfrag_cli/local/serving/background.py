"""Ingestion while the API is served: in a process of its own, so that questions are answered meanwhile."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from selfrag_cli.local.serving.documents import Documents
from selfrag_cli.local.sources.place import Place

# How long a process that was told to end may take.
END_SECONDS = 10.0


class IngestProcess:
    """Runs `selfrag ingest` for a directory, once for each call, and can be ended from another thread.

    The process gets the environment as it is when this object is made.
    """

    def __init__(self, place: Place) -> None:
        named = ["--collection", place.collection]
        # -P: a folder `cli` in the current directory is not ours; the path of this process leads to what is.
        self._command = [sys.executable, "-P", "-m", "selfrag_cli.main", "ingest", *named, str(place.source.absolute())]
        self._environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._ended = False

    def __call__(self) -> str:
        """Ingest; gives "" or, if it failed, why. What the process has to say goes to stderr."""
        with self._lock:
            if self._ended:
                return ""
            self._process = subprocess.Popen(  # noqa: S603 (our own command)
                self._command,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                start_new_session=True,  # Ctrl-C at the terminal is the server's to handle
            )
        last = ""
        for line in self._process.stderr or ():
            sys.stderr.write(line)
            last = line.rstrip("\n")
        if self._process.wait() == 0 or self._ended:
            return ""
        if not last:
            last = f"selfrag: The process that reads documents ended with {self._process.returncode}."
            sys.stderr.write(last + "\n")
        return last.removeprefix("selfrag: ")

    def end(self) -> None:
        """End the process that runs, if any, and let no other begin; what it had not finished is done another time."""
        with self._lock:
            self._ended = True
        if self._process is None:
            return
        self._process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(END_SECONDS)
        # What it has started, such as tesseract, has to end after it, or it would take that for an answer.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)


class Ingesting:
    """Ingests what has changed, one run at a time; what changes during a run is for the next one."""

    def __init__(self, ingest: Callable[[], str], documents: Documents) -> None:
        self._ingest, self._documents = ingest, documents
        self._changes: dict[str, str] = {}
        self._condition = threading.Condition()
        self._ended = False

    def changed(self, key: str, etag: str) -> None:
        """Say that a document was put, or deleted if it has no ETag any more."""
        with self._condition:
            if self._ended:
                return
            self._changes[key] = etag
            self._documents.changed(key, etag)
            self._condition.notify()

    @contextmanager
    def at_work(self, end: Callable[[], None]) -> Iterator[None]:
        """Ingest in a thread until the block ends; `end` is then called to end the run that is under way."""
        thread = threading.Thread(target=self._work, name="ingesting", daemon=True)
        thread.start()
        try:
            yield
        finally:
            with self._condition:
                self._ended = True
                self._condition.notify()
            end()
            thread.join()

    def _work(self) -> None:
        while changes := self._next():
            try:
                reason = self._ingest()
            except Exception as error:  # the thread goes on: another change may fare better
                reason = _told(error)
            with self._condition:
                if self._ended:
                    return
                try:
                    self._documents.refresh(self._changes, changes if reason else {}, reason)
                except Exception as error:
                    _told(error)

    def _next(self) -> dict[str, str]:
        """Return what has changed since it was last asked, as soon as something has; nothing when it is the end."""
        with self._condition:
            self._condition.wait_for(lambda: self._ended or self._changes)
            changes, self._changes = self._changes, {}
            return {} if self._ended else changes


def _told(error: Exception) -> str:
    sentence = " ".join(f"Documents could not be read: {type(error).__name__}: {error}".split())
    sys.stderr.write(f"selfrag: {sentence}\n")
    return sentence
