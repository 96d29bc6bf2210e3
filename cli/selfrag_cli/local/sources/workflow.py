"""The deployed ingestion workflow, run for local documents."""

import threading
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from queue import SimpleQueue

from typing_extensions import override

from selfrag import bootstrap
from selfrag.domain.documents import document_id
from selfrag.domain.errors import BadDocument, Misconfigured, SelfragError
from selfrag.domain.passages import Bounds
from selfrag.ports.embedder import Embedder
from selfrag.ports.objects import Object
from selfrag.reader.processes.pool import POOL
from selfrag.retrieval.search import search
from selfrag.text.search_tokens import TOKENIZER
from selfrag_cli.local.index import open_index
from selfrag_cli.local.index.embedding_cache import CachedEmbedder
from selfrag_cli.local.recognition.tesseract import program
from selfrag_cli.local.runner.tasks import LambdaHandler
from selfrag_cli.local.sources.report import Comparison, Interruption, Records, is_about
from selfrag_cli.local.stack import DOCUMENTS_BUCKET, INGESTION, handlers_environment
from selfrag_cli.local.stores.manifest import LocalManifest
from selfrag_cli.local.stores.objects import LocalObjects
from selfrag_cli.terminal import OnDocument, Progress

# One core embeds and one runs the workflow's Python; more threads would only wait.
AT_ONCE = 3
# Grace period for running steps after an interruption.
GRACE_SECONDS = 1.0


@dataclass(frozen=True)
class IngestionStack:
    """Open resources of the ingestion steps; `stopped` prevents further steps."""

    objects: LocalObjects
    manifest: LocalManifest
    stopped: threading.Event = field(default_factory=threading.Event)
    closed: threading.Event = field(default_factory=threading.Event)

    def start(self) -> None:
        """Allow steps, unless the stack is closed."""
        self.stopped.clear()
        if self.closed.is_set():
            self.stopped.set()

    def stop(self) -> None:
        """End the run: prevent further steps and end file-reading workers."""
        self.stopped.set()
        POOL.stop()

    def close(self) -> None:
        """End the run and prevent others."""
        self.closed.set()
        self.stop()


@contextmanager
def ingestion_stack(manifest: LocalManifest, embedding: CachedEmbedder) -> Iterator[IngestionStack]:
    """Set up the environment and components of the ingestion steps for the block."""
    # Imported late: it takes a second.
    from selfrag_cli.local.recognition.local import local_recognizer

    # Writes are searchable at once here.
    settings = {"SELFRAG_PIPELINE": pipeline(embedding), "SELFRAG_VIEW_SECONDS": "0"}
    stack = IngestionStack(LocalObjects(), manifest)
    with handlers_environment(settings), local_recognizer() as recognizer:
        parts: bootstrap.Parts = {
            "objects": stack.objects,
            "manifest": manifest,
            "index": open_index(),
            "embedder": DeferredEmbedder(embedding),
            "recognizer": recognizer,
        }
        with bootstrap.using(**parts):
            yield stack


def pipeline(embedding: CachedEmbedder) -> str:
    """Return the pipeline's identity: the embedder and whether text recognition is on."""
    return " ".join([embedding.name, TOKENIZER, *(["tesseract"] if program() else [])])


def ingest_documents(comparison: Comparison, stack: IngestionStack, on_document: OnDocument) -> Records:
    """Run the workflow for all differences from the manifest; return the records by path.

    Unreadable files are recorded in `comparison`.
    """
    path_of, gone = comparison.source.path_of, set(comparison.gone)
    read, total = 0, len(comparison.todo)

    def content(key: str) -> Object | None:
        path = path_of(key)
        if path in gone:
            return None
        try:
            return Object(comparison.files.content(path), comparison.files.metadata.get(path, {}))
        except BadDocument as error:
            comparison.unread[path] = str(error)
            raise

    def report(key: str, ended: bool) -> None:
        nonlocal read
        path = path_of(key)
        read += ended and path not in gone
        on_document(Progress(read, total, path))

    collection = comparison.source.collection
    keys = [f"{collection}/{path}" for path in (*comparison.todo, *comparison.gone)]
    try:
        _Run(content, stack, report).run_all(keys)
        # Failures not caused by the content are retried once, after the others.
        records = stack.manifest.records(collection)
        failed = {key for key, record in records.items() if record.status == "failed" and not is_about(record)}
        _Run(content, stack, lambda key, ended: None).run_all([key for key in keys if key in failed])
    except KeyboardInterrupt as error:
        files = len(comparison.files.paths)
        raise Interruption(files - total + read, files) from error
    records = stack.manifest.records(collection)
    index, bounds = open_index(), Bounds([collection])
    for key, record in records.items():
        if record.suggestion:
            hits = search(index, [(record.suggestion, None)], 1, bounds, 0.0).passages
            if not hits or hits[0].document != path_of(key):  # its words find another document first
                stack.manifest.withdraw_suggestion(record.id)
    return {path_of(key): record for key, record in records.items()}


class DeferredEmbedder(Embedder):
    """Embeds queries only, so that new passages are searchable by text at once."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    @property
    @override
    def spread_floor(self) -> float:
        return self._embedder.spread_floor

    @override
    def query(self, text: str) -> list[float]:
        """Return a query's vector."""
        return self._embedder.query(text)

    @override
    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Return empty vectors, which `embed_all` fills in later."""
        return [[] for _ in texts]


class _Run:
    """Parallel executions of the workflow, one per object, which is held only while it is read.

    The manifest has the results. `report` is called when a key begins and ends.
    """

    def __init__(
        self, content: Callable[[str], Object | None], stack: IngestionStack, report: Callable[[str, bool], None]
    ) -> None:
        # Imported late: the handlers load slowly.
        from selfrag_cli.local.stack import deployed_handlers, machine

        self._content, self._stack, self._report = content, stack, report
        self._events: SimpleQueue[tuple[str, bool] | Exception] = SimpleQueue()
        handlers = {name: self._guard(handler) for name, handler in deployed_handlers(INGESTION).items()}
        # Without tables, since the steps use the manifest, and without step timeouts: on a busy machine any duration
        # is legitimate.
        self._machine = machine(INGESTION, handlers, None, self._pause, timed=False)

    def run_all(self, keys: Sequence[str]) -> None:
        """Start the executions and report on them until all have ended.

        Raises Misconfigured if a step does, since every other document would fail likewise.
        """
        threads, done, grace = ThreadPoolExecutor(AT_ONCE), 0, None
        executions: list[Future[None]] = []
        self._stack.start()
        try:
            executions = [threads.submit(self._execute, key) for key in keys]
            while done < len(keys):
                event = self._events.get()
                if isinstance(event, Exception):
                    raise event
                done += event[1]
                self._report(*event)
        except KeyboardInterrupt:
            grace = GRACE_SECONDS
            raise
        finally:
            # The stores close after this; each execution ends with its current step.
            self._stack.stop()
            threads.shutdown(wait=False, cancel_futures=True)
            wait([execution for execution in executions if not execution.cancelled()], grace)

    def _execute(self, key: str) -> None:
        self._events.put((key, False))
        try:
            with self._stack.objects.serving_object(document_id(DOCUMENTS_BUCKET, key), key, self._content(key)):
                ended = self._machine.start(uuid.uuid4().hex, {"bucket": DOCUMENTS_BUCKET, "key": key}).wait()
            if ended.output is None:
                raise SelfragError(f"{key} was not ingested: {ended.error}")
        except BadDocument:  # the file is unreadable now: keep its passages
            self._events.put((key, True))
        except Exception as error:
            self._events.put(error)
        else:
            self._events.put((key, True))

    def _guard(self, handler: LambdaHandler) -> LambdaHandler:
        """Wrap a step so that it respects the stop flag and a misconfiguration ends the run."""

        def run_guarded(event: object, context: object) -> object:
            if self._stack.stopped.is_set():
                raise SelfragError("the command was ended")
            try:
                return handler(event, context)
            except Misconfigured as error:
                self._events.put(error)
                raise

        return run_guarded

    def _pause(self, seconds: float) -> None:
        """Wait before a retry, unless the run is stopping."""
        self._stack.stopped.wait(seconds)
