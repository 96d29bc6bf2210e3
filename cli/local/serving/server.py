"""`selfrag serve`: the local stack and its HTTP API for a directory, until somebody ends it."""

import json
import os
import signal
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

from cli.local.backends import check_services, chosen_backends
from cli.local.index import local_parts
from cli.local.ingest import sync
from cli.local.place import Place
from cli.local.serving.background import Ingesting, IngestProcess
from cli.local.serving.bucket import DirectoryBucket, ReadOnlyBucket
from cli.local.serving.documents import Documents
from cli.local.serving.folder import Folder
from cli.local.serving.gateway import Bucket, serving
from cli.local.setup import AS_SET, Setup
from cli.local.sources.files import SAMPLE_DOCUMENTS
from cli.local.sources.report import NothingUsable
from cli.local.sources.telling import OnDocument
from cli.local.stack import running_stack
from cli.local.stores.executions import LocalExecutions
from cli.local.stores.manifest import LocalManifest, opened_manifest
from selfrag import bootstrap
from selfrag.domain.errors import InvalidInput


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
    check_services()
    if writable:
        _check_writable(place.source)
    # An empty directory may be filled by uploads.
    with suppress(NothingUsable) if writable else nullcontext():
        sync(place, on_document)
    ended = _end_of_process()
    # Made before the local stack is: what it starts must not have the stack's environment.
    process = IngestProcess(place)
    with answering(place) as (executions, manifest):
        documents = Documents(place.collection, manifest)
        folder = Folder(place.source, place.collection)
        with (
            _bucket(folder, process, documents, writable) as bucket,
            serving(port, executions.watch, bucket, origins=origins) as url,
        ):
            announce(url)
            ended.wait()


@contextmanager
def answering(
    place: Place, setup: Setup = AS_SET, keeps_histories: bool = True
) -> Iterator[tuple[LocalExecutions, LocalManifest]]:
    """The executions of questions to a place, whose documents are in step, its manifest, and all that the API needs."""
    with chosen_backends(place) as backends, opened_manifest() as manifest:
        environment = {
            **backends.environment,
            "SELFRAG_COLLECTIONS": json.dumps([place.collection]),
            "SELFRAG_WEB_SEARCH": str(backends.has_web).lower(),
            **({"SELFRAG_PROFILE": setup.profile} if setup.profile else {}),
        }
        parts: bootstrap.Parts = {
            **local_parts(),
            **backends.parts,
            "prompts": dict(setup.prompts),
            "manifest": manifest,
        }
        with running_stack(environment, backends.secrets, parts, keeps_histories=keeps_histories) as executions:
            yield executions, manifest


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
    folder: Folder, process: IngestProcess, documents: Documents, writable: bool
) -> Iterator[Callable[[str], Bucket]]:
    """What makes, of the server's URL, the bucket that documents are changed in, or are not."""
    if not writable:
        yield lambda url: ReadOnlyBucket()
        return
    ingesting = Ingesting(process, documents)
    with ingesting.at_work(process.end):
        yield lambda url: DirectoryBucket(folder, ingesting.changed, url)
