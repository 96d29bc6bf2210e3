"""Ingestion while the API is served: in a thread, so that questions are answered meanwhile."""

import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from selfrag.domain.documents import document_id
from selfrag.domain.errors import SelfragError
from selfrag_cli.local.index.backfill import yield_to_questions
from selfrag_cli.local.sources.sync import Busy
from selfrag_cli.local.stack import DOCUMENTS_BUCKET
from selfrag_cli.local.stores.manifest import LocalManifest

# How long a run may take to end when the server ends.
END_SECONDS = 5.0
# How often a server looks whether another process has ended its work.
BUSY_SECONDS = 2.0
# Any moment will do: no execution has seen a deletion of the API's.
_NOW = 1


class EmbeddingThread:
    """Embeds passages that have no vector: at first, and when some were written.

    `embed` raises Busy while another process does so.
    """

    def __init__(self, embed: Callable[[threading.Event], None]) -> None:
        self._embed = embed
        self._due, self._ended = threading.Event(), threading.Event()
        self._due.set()

    def wake(self) -> None:
        """Say that passages were written."""
        self._due.set()

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Embed in a thread for the block; an unfinished batch ends with the process."""
        thread = threading.Thread(target=self._work, name="embedding", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._ended.set()
            self._due.set()
            thread.join(END_SECONDS)

    def _work(self) -> None:
        yield_to_questions()
        while self._due.wait() and not self._ended.is_set():
            self._due.clear()
            try:
                self._embed(self._ended)
            except Busy:  # another process embeds; this one does the rest
                self._ended.wait(BUSY_SECONDS)
                self._due.set()
            except Exception as error:  # documents are found by their words meanwhile
                sys.stderr.write(f"selfrag: Documents could not be embedded: {_sentence(error)}\n")


def _sentence(error: Exception) -> str:
    sentence = str(error) if isinstance(error, SelfragError) else f"{type(error).__name__}: {error}"
    return " ".join(sentence.split())


class Documents:
    """The documents of a collection as the manifest lists them."""

    def __init__(self, collection: str, manifest: LocalManifest) -> None:
        self._collection, self._manifest = collection, manifest

    def changed(self, key: str, etag: str) -> None:
        """List a document that has come as working, or one whose file is deleted, which has no ETag, as removing."""
        if etag:
            self._mark(key, "working")
        else:
            self._manifest.begin_deletion(document_id(DOCUMENTS_BUCKET, key), _NOW)

    def refresh(self, waiting: Mapping[str, str], unread: Mapping[str, str], reason: str) -> None:
        """Mark documents that a run left out as failed, with the reason, and waiting ones as working."""
        for key in unread:
            record = self._manifest.read(document_id(DOCUMENTS_BUCKET, key))
            if record and (record.status == "working" or record.is_removing):
                self._mark(key, "failed", reason)
        for key, etag in waiting.items():
            self.changed(key, etag)

    def _mark(self, key: str, status: str, reason: str = "") -> None:
        self._manifest.mark(document_id(DOCUMENTS_BUCKET, key), key, self._collection, status, reason)


class IngestionThread:
    """Ingests changes, one run at a time; changes during a run wait for the next one."""

    def __init__(self, ingest: Callable[[], None], documents: Documents) -> None:
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
        """Ingest in a thread until the block ends; `end` is then called to end the run that is under way.

        A run that does not end soon is left behind: it ends with the process.
        """
        thread = threading.Thread(target=self._work, name="ingesting", daemon=True)
        thread.start()
        try:
            yield
        finally:
            with self._condition:
                self._ended = True
                self._condition.notify()
            end()
            thread.join(END_SECONDS)

    def _work(self) -> None:
        while changes := self._next():
            try:
                self._ingest()
                reason = ""
            except Exception as error:  # keep the thread for the next change
                reason = f"Documents could not be read: {_sentence(error)}"
            with self._condition:
                if self._ended:
                    return
                if reason:
                    sys.stderr.write(f"selfrag: {reason}\n")
                self._documents.refresh(self._changes, changes if reason else {}, reason)

    def _next(self) -> dict[str, str]:
        """Wait for changes and return them; nothing at the end."""
        with self._condition:
            self._condition.wait_for(lambda: self._ended or self._changes)
            changes, self._changes = self._changes, {}
            return {} if self._ended else changes
