"""The ingestion workflow on the laptop, for some objects; each is held only while it is read."""

import threading
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from queue import SimpleQueue
from typing import Any, Never

from selfrag import bootstrap
from selfrag.domain.documents import document_id
from selfrag.domain.errors import Misconfigured, SelfragError
from selfrag.ingestion.split_document.logic import BATCH
from selfrag.ports.embedder import Embedder
from selfrag.ports.objects import Object
from selfrag.reader.processes.pool import POOL
from selfrag_cli.local.definitions import INGESTION
from selfrag_cli.local.environment import DOCUMENTS_BUCKET, handlers_environment
from selfrag_cli.local.runner.tasks import Item, LambdaHandler
from selfrag_cli.local.sources.progress import Event
from selfrag_cli.local.stack import deployed_handlers, machine
from selfrag_cli.local.stores.manifest import LocalManifest
from selfrag_cli.local.stores.objects import LocalObjects

# Embedding takes one core and the workflow, which is Python, another; more threads only wait for each other.
AT_ONCE = 3

# So many passages are embedded before it is asked again whether the run is to end: seconds, on a busy machine.
_TOGETHER = 5
# What is at work when a person interrupts the command may take so long to end; then the command ends without it.
_GRACE_SECONDS = 1.0

# An object by its key, or None if there is none.
Read = Callable[[str], Object | None]
OnEvent = Callable[[Event], None]


def ingest_objects(
    keys: Sequence[str],
    read: Read,
    manifest: LocalManifest,
    environment: Mapping[str, str],
    parts: bootstrap.Parts,
    on_event: OnEvent,
) -> None:
    """Run the workflow for each object; what became of it stands in the manifest.

    No step has a timeout here: on a busy machine, or behind a large neighbour, it takes as long as it takes. Raises
    Misconfigured when a step says so, for it would be the same with every other document.
    """
    # Every write can be searched at once here.
    settings, objects = {**environment, "SELFRAG_VIEW_SECONDS": "0"}, LocalObjects()
    stores, stopped = bootstrap.using(objects=objects, manifest=manifest), threading.Event()
    embedder = bootstrap.using(embedder=Interruptible(parts["embedder"], stopped))
    with handlers_environment(settings), stores, bootstrap.using(**parts), embedder:
        _Run(keys, read, objects, on_event, stopped).to_the_end()


class _Stopped(SelfragError):
    """The command ends, so no step begins any more."""


class Interruptible:
    """An embedder that ends between some passages when the run is to end."""

    def __init__(self, embedder: Embedder, stopped: threading.Event) -> None:
        self._embedder, self._stopped = embedder, stopped
        self.spread_floor = embedder.spread_floor

    def query(self, text: str) -> list[float]:
        """Return the vector of a search query."""
        return self._embedder.query(text)

    def passages(self, texts: Sequence[str]) -> Iterator[list[float]]:
        """Yield each passage's vector; raises SelfragError once the run is to end."""
        for start in range(0, len(texts), _TOGETHER):
            if self._stopped.is_set():
                raise _Stopped("the command was ended")
            yield from self._embedder.passages(texts[start : start + _TOGETHER])


class _NoTables:
    """Ingestion's definition uses no table: the manifest is its steps'."""

    def get_item(self, table: str, key: Item) -> Never:
        raise NotImplementedError(table)

    def put_item(self, table: str, item: Item) -> Never:
        raise NotImplementedError(table)


class _Run:
    """One execution for each key, some at a time."""

    def __init__(
        self, keys: Sequence[str], read: Read, objects: LocalObjects, on_event: OnEvent, stopped: threading.Event
    ) -> None:
        self._keys = {document_id(DOCUMENTS_BUCKET, key): key for key in keys}
        self._read, self._objects, self._on_event = read, objects, on_event
        self._events: SimpleQueue[Event | Exception] = SimpleQueue()
        self._stopped = stopped
        handlers = {name: self._watched(name, handler) for name, handler in deployed_handlers(INGESTION).items()}
        self._machine = machine(INGESTION, handlers, _NoTables(), self._pause, timed=False)

    def _watched(self, name: str, handler: LambdaHandler) -> LambdaHandler:
        """Return a step with its events, which does not begin when the run is to end."""

        def watched(event: dict[str, Any], context: Any) -> Any:
            if self._stopped.is_set():
                raise _Stopped("the command was ended")
            try:
                if name == "embed_passages":
                    return self._embedded(event, lambda: handler(event, context))
                result = handler(event, context)
            except Misconfigured as error:
                self._events.put(error)
                raise
            if name == "split_document":
                letters = sum(self._letters(batch["passages_key"]) for batch in result["batches"])
                self._events.put(Event(self._keys[event["document_id"]], letters=letters))
            return result

        return watched

    def _embedded(self, event: dict[str, Any], embed: Callable[[], Any]) -> Any:
        identity, _, batch = event["passages_key"].partition("/")
        first = BATCH * int(batch.rpartition("-")[2].removesuffix(".json")) + 1
        self._events.put(Event(self._keys[identity], passage=first))
        result = embed()
        passages, letters = len(self._passages(event["passages_key"])), self._letters(event["passages_key"])
        self._events.put(Event(self._keys[identity], passage=first, passages=passages, embedded=letters))
        return result

    def _passages(self, batch: str) -> list[dict[str, Any]]:
        passages: list[dict[str, Any]] = self._objects.get_json(batch)
        return passages

    def _letters(self, batch: str) -> int:
        return sum(len(passage["text"]) for passage in self._passages(batch))

    def _pause(self, seconds: float) -> None:
        """Wait before a step is tried again, unless the run is to end."""
        self._stopped.wait(seconds)

    def to_the_end(self) -> None:
        """Start the executions, and tell of them in this thread until all have ended."""
        threads, done, grace = ThreadPoolExecutor(AT_ONCE), 0, None
        executions = []
        try:
            for identity, key in self._keys.items():
                executions.append(threads.submit(self._ingest, identity, key))
            while done < len(self._keys):
                event = self._events.get()
                if isinstance(event, Exception):
                    raise event
                done += event.ended
                self._on_event(event)
        except KeyboardInterrupt:
            grace = _GRACE_SECONDS
            raise
        finally:
            # The stores are closed after this; each execution ends with the step that it is in.
            self._stopped.set()
            POOL.stop()
            threads.shutdown(wait=False, cancel_futures=True)
            wait([execution for execution in executions if not execution.cancelled()], grace)

    def _ingest(self, identity: str, key: str) -> None:
        self._events.put(Event(key))
        try:
            with self._objects.holding(identity, key, self._read(key)):
                ended = self._machine.start(uuid.uuid4().hex, {"bucket": DOCUMENTS_BUCKET, "key": key}).wait()
            if ended.output is None:
                raise SelfragError(f"{key} was not ingested: {ended.error}")
        except Exception as error:
            self._events.put(error)
        else:
            self._events.put(Event(key, ended=True))
