"""`selfrag serve`: the local stack and its HTTP API for a directory, until somebody ends it."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

from cli.local.aws.kept import kept_tables
from cli.local.aws.stack import running_stack
from cli.local.backends import chosen_backends
from cli.local.files import SAMPLE_DOCUMENTS
from cli.local.index import collection_of, local_parts
from cli.local.ingest import NothingUsable, Progress, checked_collection, sync
from cli.local.serving.background import Ingesting, IngestProcess
from cli.local.serving.bucket import DirectoryBucket, ReadOnly
from cli.local.serving.exchange import First
from cli.local.serving.folder import Folder
from cli.local.serving.gateway import serving
from cli.local.serving.shown import ShownManifest
from selfrag import bootstrap
from selfrag.domain.errors import InvalidInput, Misconfigured


def serve_documents(
    documents: Path | None,
    collection: str,
    writable: bool,
    port: int,
    progress: Progress,
    announce: Callable[[str], None],
) -> None:
    """Bring a directory up to date (the sample handbook if None) and serve it; `announce` gets the URL.

    `collection` is the one that it is ingested into, "" for its own. If it is writable, the API's uploads go into the
    directory and its deletions delete there, and either is ingested. Ends when the process is interrupted or told to
    terminate; answers and verdicts are kept then. Raises InvalidInput for a directory that cannot be served so.
    """
    directory = documents or SAMPLE_DOCUMENTS
    chosen = checked_collection(collection) or collection_of(directory)
    if writable:
        _check_writable(directory)
    # An empty directory may be filled by uploads.
    with suppress(NothingUsable) if writable else nullcontext():
        sync(directory, progress, collection=collection)
    ended = _end_of_process()
    # Made before the local stack is: what it starts must not have the stack's environment.
    process = IngestProcess(directory, collection)
    with chosen_backends(directory) as backends:
        environment = {
            **backends.environment,
            "SELFRAG_COLLECTIONS": f'["{chosen}"]',
            "SELFRAG_WEB_SEARCH": str(backends.has_web).lower(),
        }
        with running_stack(environment, backends.secrets, parts=local_parts()), kept_tables():
            shown = ShownManifest(chosen)
            shown.refresh()
            try:
                with (
                    _changing(Folder(directory, chosen), process, shown, writable) as first,
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
    with ingesting.at_work(process.end), bootstrap.using(uploads=bucket):
        yield bucket
