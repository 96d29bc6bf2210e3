"""`selfrag serve`: the local stack and its HTTP API for a directory, until somebody ends it."""

import json
import os
import signal
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from pathlib import Path

from cli.local.aws.kept import kept_tables
from cli.local.aws.stack import running_stack
from cli.local.backends import check_services, has_web
from cli.local.ingest import sync
from cli.local.place import Place
from cli.local.serving.background import Ingesting, IngestProcess
from cli.local.serving.bucket import DirectoryBucket, ReadOnlyBucket
from cli.local.serving.catalog import Catalog
from cli.local.serving.folder import Folder
from cli.local.serving.gateway import Bucket, serving
from cli.local.serving.memory import collect_as_usual, share_memory
from cli.local.serving.worker import QuestionWorker
from cli.local.serving.workers import Workers
from cli.local.setup import AS_SET, Setup
from cli.local.sources.files import SAMPLE_DOCUMENTS
from cli.local.sources.report import NothingUsable
from cli.local.sources.telling import OnDocument
from selfrag import bootstrap
from selfrag.bootstrap import api
from selfrag.domain.errors import InvalidInput

# Each takes a core and some 300 MB.
MOST_WORKERS = 4


def serve_documents(
    place: Place,
    writable: bool,
    port: int,
    origins: Collection[str],
    on_document: OnDocument,
    announce: Callable[[str], None],
) -> None:
    """Bring a directory up to date and serve it, also to pages of these origins; `announce` gets the URL.

    If it is writable, the API's uploads go into the directory and its deletions delete there, and either is ingested.
    Ends when the process is interrupted or told to terminate; answers and verdicts are kept then. Raises InvalidInput
    for a directory that cannot be served so, Misconfigured for a port that is taken.
    """
    share_memory()
    check_services()
    if writable:
        _check_writable(place.source)
    # An empty directory may be filled by uploads.
    with suppress(NothingUsable) if writable else nullcontext():
        sync(place, on_document)
    ended = _end_of_process()
    # Made before the local stack is: what it starts must not have the stack's environment.
    process = IngestProcess(place)
    with answering(place) as workers:
        catalog = Catalog(place.collection)
        catalog.refresh({})
        folder = Folder(place.source, place.collection)
        with (
            _bucket(folder, process, catalog, writable) as bucket,
            serving(port, bucket, watch=workers.watch, origins=origins) as url,
        ):
            collect_as_usual()
            announce(url)
            ended.wait()


@contextmanager
def answering(place: Place) -> Iterator[Workers]:
    """Processes that answer from a place, whose documents are in step, and the tables of what they answered."""
    with answering_as(place, [AS_SET]) as (workers,), bootstrap.using(executions=workers):
        yield workers


@contextmanager
def answering_as(place: Place, setups: Collection[Setup]) -> Iterator[list[Workers]]:
    """The same for each setup: processes of its own, which share the cores and the tables with those of the others."""
    with _stores(place), ExitStack() as begun:
        all_workers = [begun.enter_context(_workers(place, setup, len(setups))) for setup in setups]
        for workers in all_workers:
            workers.wait_until_made()
        yield all_workers


@contextmanager
def _stores(place: Place) -> Iterator[None]:
    """The tables of the API, in a local stack without machines: questions run in other processes."""
    environment = {
        "SELFRAG_COLLECTIONS": json.dumps([place.collection]),
        "SELFRAG_WEB_SEARCH": str(has_web(place)).lower(),
    }
    with running_stack(environment, {}, handlers={}), kept_tables():
        yield


@contextmanager
def _workers(place: Place, setup: Setup, setups: int) -> Iterator[Workers]:
    """Processes that answer from a place, of as many setups as many as there are cores; this process has the tables."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    count = max(1, min(MOST_WORKERS, cores) // setups)
    threads = max(1, cores // (count * setups))
    workers = Workers(api.executions(), count, QuestionWorker, place, threads, setup)
    try:
        yield workers
    finally:
        workers.end()


def _end_of_process() -> threading.Event:
    """Set when the process is to end."""
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, frame: ended.set())
    return ended


def _check_writable(directory: Path) -> None:
    if directory.resolve().is_relative_to(SAMPLE_DOCUMENTS.resolve()):
        raise InvalidInput("The sample handbook is not to be changed: name a directory of your own with --docs.")
    if os.path.isdir(directory) and not os.access(directory, os.W_OK | os.X_OK):
        raise InvalidInput(f"{directory} cannot be written: change its permissions or leave out --writable.")


@contextmanager
def _bucket(
    folder: Folder, process: IngestProcess, catalog: Catalog, writable: bool
) -> Iterator[Callable[[str], Bucket]]:
    """What makes, of the server's URL, the bucket that documents are changed in, or are not."""
    if not writable:
        yield lambda url: ReadOnlyBucket()
        return
    ingesting = Ingesting(process, catalog)
    with ingesting.at_work(process.end):
        yield lambda url: DirectoryBucket(folder, ingesting.changed, url)
