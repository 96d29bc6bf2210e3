"""`selfrag serve`: the local stack and its HTTP API for a directory, until somebody ends it."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from unittest.mock import patch

import ask.documents.routes
from cli.aws.kept import kept_tables
from cli.aws.stack import running_stack
from cli.backends import check_services, chosen_backends
from cli.files import SAMPLE_DOCUMENTS
from cli.ingest import NothingUsable, OnDocument, sync
from cli.place import Place
from cli.serving.background import Ingesting, IngestProcess
from cli.serving.bucket import DirectoryBucket, ReadOnly
from cli.serving.exchange import First
from cli.serving.folder import Folder
from cli.serving.gateway import serving
from cli.serving.shown import ShownManifest
from selfrag.errors import InvalidInput, Misconfigured


def serve_documents(
    place: Place, writable: bool, port: int, on_document: OnDocument, announce: Callable[[str], None]
) -> None:
    """Bring a directory up to date and serve it; `announce` gets the URL.

    If it is writable, the API's uploads go into the directory and its deletions delete there, and either is ingested.
    Ends when the process is interrupted or told to terminate; answers and verdicts are kept then. Raises InvalidInput
    for a directory that cannot be served so.
    """
    check_services()
    if writable:
        _check_writable(place.source)
    # An empty directory may be filled by uploads.
    with suppress(NothingUsable) if writable else nullcontext():
        sync(place, on_document)
    ended = _end_of_process()
    # Made before the local stack is: what it starts must not have the stack's environment.
    process = IngestProcess(place)
    with chosen_backends(place) as backends:
        environment = {
            **backends.environment,
            "SELFRAG_COLLECTIONS": f'["{place.collection}"]',
            "SELFRAG_WEB_SEARCH": str(backends.has_web).lower(),
        }
        with running_stack(environment, backends.secrets), kept_tables():
            shown = ShownManifest(place.collection)
            shown.refresh()
            try:
                with (
                    _changing(Folder(place.source, place.collection), process, shown, writable) as first,
                    serving(port, first) as url,
                ):
                    announce(url)
                    ended.wait()
            except OSError as error:
                raise Misconfigured(f"Port {port} cannot be used: {error.strerror}.") from error


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
def _changing(folder: Folder, process: IngestProcess, shown: ShownManifest, writable: bool) -> Iterator[First]:
    """What answers requests before the API does, so that documents are changed, or are not."""
    if not writable:
        yield ReadOnly()
        return
    ingesting = Ingesting(process, shown)
    bucket = DirectoryBucket(folder, ingesting.changed)
    with ingesting.at_work(process.end), patch.object(ask.documents.routes, "s3", lambda: bucket):
        yield bucket
