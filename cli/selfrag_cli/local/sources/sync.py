"""Brings a collection of the local index in step with a directory, by the workflow that is deployed.

Passages are written without vectors, which `embedding` adds, so that they can be searched at once.

The directory is the bucket, and the manifest says what the index holds of it. The workflow runs only for documents
whose content is not what the manifest says; with nothing to do, not even the local stack is started.
"""

import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from queue import SimpleQueue
from typing import Never

from typing_extensions import override

from selfrag import bootstrap
from selfrag.domain.documents import document_id
from selfrag.domain.errors import BadDocument, Misconfigured, SelfragError
from selfrag.domain.passages import Bounds
from selfrag.ports.embedder import Embedder
from selfrag.ports.objects import Object
from selfrag.reader.processes.pool import POOL
from selfrag.retrieval.search import search
from selfrag.runtime.settings import IngestionSettings
from selfrag_cli.local.definitions import INGESTION
from selfrag_cli.local.environment import DOCUMENTS_BUCKET, handlers_environment
from selfrag_cli.local.home import OnWait, alone
from selfrag_cli.local.index import CachedEmbedder, NamedEmbedder, embedding_with, open_index
from selfrag_cli.local.index.tokens import TOKENIZER
from selfrag_cli.local.recognition.tesseract import program
from selfrag_cli.local.runner.tasks import LambdaHandler
from selfrag_cli.local.sources.comparison import Comparison, compare, is_about, records_by_path
from selfrag_cli.local.sources.embedding import embed_all
from selfrag_cli.local.sources.place import AnotherDirectory, Place, refuse_another, remember
from selfrag_cli.local.sources.progress import OnDocument, Progress
from selfrag_cli.local.sources.report import (
    IngestionPlan,
    IngestionReport,
    Interruption,
    MassRemoval,
    mass_removal,
    plan_of,
    report_of,
)
from selfrag_cli.local.stores.attributes import Item
from selfrag_cli.local.stores.manifest import LocalManifest, opened_manifest
from selfrag_cli.local.stores.objects import LocalObjects

# Embedding takes one core and the workflow, which is Python, another; more threads only wait for each other.
AT_ONCE = 3
# What is at work when a person interrupts the command may take so long to end; then the command ends without it.
GRACE_SECONDS = 1.0

Compare = Callable[[Place, LocalManifest, str], Comparison]
MayReplace = Callable[[AnotherDirectory | MassRemoval], bool]


@dataclass(frozen=True)
class IngestionStack:
    """The parts of ingestion's steps while they are in force; `stopped` is set when no step is to begin."""

    objects: LocalObjects
    stopped: threading.Event = field(default_factory=threading.Event)
    closed: threading.Event = field(default_factory=threading.Event)

    def start(self) -> None:
        """Let steps begin, unless the stack is closed."""
        self.stopped.clear()
        if self.closed.is_set():
            self.stopped.set()

    def stop(self) -> None:
        """End the run: begin no other step, and end the workers that read files."""
        self.stopped.set()
        POOL.stop()

    def close(self) -> None:
        """End the run, and let no other begin."""
        self.closed.set()
        self.stop()


@contextmanager
def ingestion_stack(manifest: LocalManifest, embedding: CachedEmbedder) -> Iterator[IngestionStack]:
    """Have the environment and the parts of ingestion's steps until the block ends."""
    # It takes a second to load.
    from selfrag_cli.local.recognition.local import local_recognizer

    # Every write can be searched at once here.
    settings = {"SELFRAG_PIPELINE": _pipeline(embedding), "SELFRAG_VIEW_SECONDS": "0"}
    stack = IngestionStack(LocalObjects())
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


def sync(
    place: Place,
    on_document: OnDocument = lambda progress: None,
    embedder: NamedEmbedder | None = None,
    may_replace: MayReplace = lambda refusal: False,
    compare_with: Compare = compare,
    on_wait: OnWait = lambda process: None,
) -> IngestionReport:
    """Read a place as `read` does, then embed all its passages; returns the report, or raises what `read` raises."""
    report = read(place, on_document, embedder, may_replace, compare_with, on_wait=on_wait)
    embed_all(place.collection, on_document, embedder, on_wait=on_wait)
    return report


def read(
    place: Place,
    on_document: OnDocument = lambda progress: None,
    embedder: NamedEmbedder | None = None,
    may_replace: MayReplace = lambda refusal: False,
    compare_with: Compare = compare,
    stack: IngestionStack | None = None,
    on_wait: OnWait = lambda process: None,
) -> IngestionReport:
    """Bring a place's collection up to date with its directory, or with what else `compare_with` compares it with.

    Its passages can then be searched by their words; `embed_all` adds the vectors, of multilingual-e5-small unless
    another embedder is given. A `stack` is one that is in force already. If more than half of the documents are gone,
    they are removed only if `may_replace` says so; else they are kept, and the report says so. Several processes may do
    so at once, for the same directory or others: `on_wait` is called with the id of the one that is waited for. Raises
    InvalidInput if the directory is missing, AnotherDirectory if the collection was read from another one which it may
    not replace, NothingUsable if it holds no document that can be used, Interruption.
    """
    # Of several processes one brings it in step, and the others find it so.
    with alone(place.collection, on_wait), embedding_with(embedder) as embedding, opened_manifest() as manifest:
        try:
            refuse_another(place)
        except AnotherDirectory as error:
            if not may_replace(error):
                raise
        comparison = compare_with(place, manifest, _made_by(embedding))
        if (removal := mass_removal(place, comparison)) and not may_replace(removal):
            comparison = comparison.keep_lost(str(removal))
        comparison.keep()
        if not comparison.in_step:
            _remember(place, comparison, int(time.time()))
            with nullcontext(stack) if stack else ingestion_stack(manifest, embedding) as parts:
                unread = _ingest(place, comparison, manifest, parts, on_document)
            _try_suggestions(place, manifest)
            comparison = replace(comparison, unread=unread)
        _remember(place, comparison)
        return report_of(place, comparison, records_by_path(place, manifest))


def plan(place: Place, embedder: NamedEmbedder | None = None, compare_with: Compare = compare) -> IngestionPlan:
    """Return what `sync` would do, without doing it; raises InvalidInput if the directory is missing."""
    with embedding_with(embedder) as embedding, opened_manifest() as manifest:
        return plan_of(place, compare_with(place, manifest, _made_by(embedding)))


def _made_by(embedding: CachedEmbedder) -> str:
    return IngestionSettings(pipeline=_pipeline(embedding)).made_by


def _pipeline(embedding: CachedEmbedder) -> str:
    """Return what else passages depend on than the files: the embedder, and whether pictures of pages are read."""
    return " ".join([embedding.name, TOKENIZER, *(["tesseract"] if program() else [])])


def _remember(place: Place, comparison: Comparison, read_at: int | None = None) -> None:
    # An empty directory is no source yet.
    if comparison.before or comparison.files.paths:
        remember(place.collection, place.root, comparison.unread, read_at)


def _ingest(
    place: Place, comparison: Comparison, manifest: LocalManifest, stack: IngestionStack, on_document: OnDocument
) -> dict[str, str]:
    """Run the workflow for all that is not in step; return why files cannot be read, by path."""
    unread = dict(comparison.unread)
    read, total = 0, len(comparison.todo)

    def content(key: str) -> Object | None:
        path = place.path_of(key)
        if path in comparison.gone:
            return None
        try:
            return Object(comparison.files.content(path), comparison.files.metadata(path))
        except BadDocument as error:
            unread[path] = str(error)
            raise

    def report(key: str, ended: bool) -> None:
        nonlocal read
        path = place.path_of(key)
        read += ended and path not in comparison.gone
        on_document(Progress(read, total, path))

    keys = [f"{place.collection}/{path}" for path in (*comparison.todo, *comparison.gone)]
    try:
        _Run(content, stack, report).to_the_end(keys)
        # What failed for another reason than its content is tried once more, now that all others are read.
        _Run(content, stack, lambda key, ended: None).to_the_end(_failed(place, manifest, keys))
    except KeyboardInterrupt as error:
        files = len(comparison.files.paths)
        raise Interruption(files - total + read, files) from error
    return unread


def _try_suggestions(place: Place, manifest: LocalManifest) -> None:
    """Withdraw each suggested question whose document is not the first that its words find."""
    index, bounds = open_index(), Bounds([place.collection])
    for key, record in manifest.records(place.collection).items():
        if record.suggestion:
            hits = search(index, [(record.suggestion, None)], 1, bounds, 0.0).passages
            if not hits or hits[0].document != place.path_of(key):
                manifest.withdraw_suggestion(record.id)


def _failed(place: Place, manifest: LocalManifest, keys: Sequence[str]) -> list[str]:
    """Return the keys of documents that failed, but not for what they hold."""
    records = manifest.records(place.collection)
    return [key for key in keys if (record := records.get(key)) and record.status == "failed" and not is_about(record)]


class IngestionStop(SelfragError):
    """The command ends, so no step begins any more."""


class DeferredEmbedder(Embedder):
    """An embedder of queries that gives passages no vectors, so that they can be searched by their words at once."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    @property
    @override
    def spread_floor(self) -> float:
        return self._embedder.spread_floor

    @override
    def query(self, text: str) -> list[float]:
        """Return the vector of a search query."""
        return self._embedder.query(text)

    @override
    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Return an empty vector for each passage: `embed_all` adds the vectors."""
        return [[] for _ in texts]


class _NoTables:
    """Ingestion's definition uses no table: the manifest is its steps'."""

    def get_item(self, table: str, key: Item) -> Never:
        raise NotImplementedError(table)

    def put_item(self, table: str, item: Item) -> Never:
        raise NotImplementedError(table)


class _Run:
    """One execution of the workflow for each object, some at a time; each object is held only while it is read.

    What became of them stands in the manifest. `report` is called with the key of each that begins, and of each that
    ends.
    """

    def __init__(
        self, content: Callable[[str], Object | None], stack: IngestionStack, report: Callable[[str, bool], None]
    ) -> None:
        # The handlers take a while to load.
        from selfrag_cli.local.stack import deployed_handlers, machine

        self._content, self._stack, self._report = content, stack, report
        self._events: SimpleQueue[tuple[str, bool] | Exception] = SimpleQueue()
        handlers = {name: self._watched(handler) for name, handler in deployed_handlers(INGESTION).items()}
        # No step has a timeout: on a busy machine, or behind a large neighbour, it takes as long as it takes.
        self._machine = machine(INGESTION, handlers, _NoTables(), self._pause, timed=False)

    def to_the_end(self, keys: Sequence[str]) -> None:
        """Start the executions, and report them in this thread until all have ended.

        Raises Misconfigured when a step does, for it would be the same with every other document.
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
            # The stores are closed after this; each execution ends with the step that it is in.
            self._stack.stop()
            threads.shutdown(wait=False, cancel_futures=True)
            wait([execution for execution in executions if not execution.cancelled()], grace)

    def _execute(self, key: str) -> None:
        self._events.put((key, False))
        try:
            with self._stack.objects.holding(document_id(DOCUMENTS_BUCKET, key), key, self._content(key)):
                ended = self._machine.start(uuid.uuid4().hex, {"bucket": DOCUMENTS_BUCKET, "key": key}).wait()
            if ended.output is None:
                raise SelfragError(f"{key} was not ingested: {ended.error}")
        except BadDocument:  # the file is unreadable now: its passages stay
            self._events.put((key, True))
        except Exception as error:
            self._events.put(error)
        else:
            self._events.put((key, True))

    def _watched(self, handler: LambdaHandler) -> LambdaHandler:
        """Return a step that does not begin when the run is to end, and whose misconfiguration ends the run."""

        def watched(event: object, context: object) -> object:
            if self._stack.stopped.is_set():
                raise IngestionStop("the command was ended")
            try:
                return handler(event, context)
            except Misconfigured as error:
                self._events.put(error)
                raise

        return watched

    def _pause(self, seconds: float) -> None:
        """Wait before a step is tried again, unless the run is to end."""
        self._stack.stopped.wait(seconds)
