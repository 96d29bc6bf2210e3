"""The ingestion workflow on the laptop, for some objects; each is held only while it is read."""

import threading
import uuid
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, Never

from cli.local.definitions import INGESTION
from cli.local.environment import DOCUMENTS_BUCKET, handlers_environment
from cli.local.runner.tasks import Item, LambdaHandler
from cli.local.stack import deployed_handlers, machine
from cli.local.stores.manifest import LocalManifest
from cli.local.stores.objects import LocalObjects
from ingestion.split_document.logic import BATCH
from selfrag import bootstrap
from selfrag.domain.documents import document_id
from selfrag.domain.errors import Misconfigured, SelfragError

# Embedding takes one core and the workflow, which is Python, another; more threads only wait for each other.
AT_ONCE = 3

# The bytes of an object, or None if there is none.
Read = Callable[[str], bytes | None]
# Called with an object's key, the passage that is embedded (counted from 1, 0 for none), and whether it is done.
OnObject = Callable[[str, int, bool], None]


def ingest_objects(
    keys: Sequence[str],
    read: Read,
    manifest: LocalManifest,
    environment: Mapping[str, str],
    parts: bootstrap.Parts,
    on_object: OnObject,
) -> None:
    """Run the workflow for each object; what became of it stands in the manifest.

    Raises Misconfigured when a step says so, for it would be the same with every other document.
    """
    # Every write can be searched at once here.
    settings, objects = {**environment, "SELFRAG_VIEW_SECONDS": "0"}, LocalObjects()
    stores = bootstrap.using(objects=objects, manifest=manifest)
    with handlers_environment(settings), stores, bootstrap.using(**parts):
        _Run(keys, read, objects, on_object).to_the_end()


@dataclass(frozen=True)
class _News:
    """What a thread tells: that it works on a passage of an object, or has ended with it, perhaps by an error."""

    key: str
    passage: int = 0
    ended: bool = False
    error: Exception | None = None


class _Stopped(SelfragError):
    """The command ends, so no step begins any more."""


class _NoTables:
    """Ingestion's definition uses no table: the manifest is its steps'."""

    def get_item(self, table: str, key: Item) -> Never:
        raise NotImplementedError(table)

    def put_item(self, table: str, item: Item) -> Never:
        raise NotImplementedError(table)


class _Run:
    """One execution for each key, some at a time."""

    def __init__(self, keys: Sequence[str], read: Read, objects: LocalObjects, on_object: OnObject) -> None:
        self._keys = {document_id(DOCUMENTS_BUCKET, key): key for key in keys}
        self._read, self._objects, self._on_object = read, objects, on_object
        self._news: SimpleQueue[_News] = SimpleQueue()
        self._stopped = threading.Event()
        handlers = {name: self._watched(name, handler) for name, handler in deployed_handlers(INGESTION).items()}
        self._machine = machine(INGESTION, handlers, _NoTables(), self._pause)

    def _watched(self, name: str, handler: LambdaHandler) -> LambdaHandler:
        """A step that tells what it works on, and does not begin when the run is to end."""

        def watched(event: dict[str, Any], context: Any) -> Any:
            if self._stopped.is_set():
                raise _Stopped("the command was ended")
            if name == "embed_passages":
                identity, _, batch = event["passages_key"].partition("/")
                number = int(batch.rpartition("-")[2].removesuffix(".json"))
                self._news.put(_News(self._keys[identity], BATCH * number + 1))
            try:
                return handler(event, context)
            except Misconfigured as error:
                self._news.put(_News("", error=error))
                raise

        return watched

    def _pause(self, seconds: float) -> None:
        """Wait before a step is tried again, unless the run is to end."""
        self._stopped.wait(seconds)

    def to_the_end(self) -> None:
        """Start the executions, and tell of them in this thread until all have ended."""
        threads = ThreadPoolExecutor(AT_ONCE)
        done = 0
        try:
            for identity, key in self._keys.items():
                threads.submit(self._ingest, identity, key)
            while done < len(self._keys):
                news = self._news.get()
                if news.error:
                    raise news.error
                done += news.ended
                self._on_object(news.key, news.passage, news.ended)
        finally:
            # The stores are closed after this; each execution ends with the step that it is in.
            self._stopped.set()
            threads.shutdown(cancel_futures=True)

    def _ingest(self, identity: str, key: str) -> None:
        self._news.put(_News(key))
        try:
            with self._objects.holding(identity, key, self._read(key)):
                ended = self._machine.start(uuid.uuid4().hex, {"bucket": DOCUMENTS_BUCKET, "key": key}).wait()
            if ended.output is None:
                raise SelfragError(f"{key} was not ingested: {ended.error}")
        except Exception as error:
            self._news.put(_News(key, error=error))
        else:
            self._news.put(_News(key, ended=True))
