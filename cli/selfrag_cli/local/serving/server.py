"""`selfrag serve`: the local stack and its HTTP API for a source, until its process is to end."""

import hashlib
import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from selfrag.domain.errors import InvalidInput
from selfrag_cli.local.asking import open_executions, stored_records
from selfrag_cli.local.backends import check_services
from selfrag_cli.local.index import open_embedder
from selfrag_cli.local.runner.machine import Execution
from selfrag_cli.local.serving.agent_service import StackService
from selfrag_cli.local.serving.background import Documents, EmbeddingThread, IngestionThread
from selfrag_cli.local.serving.bucket import DirectoryBucket, Folder
from selfrag_cli.local.serving.gateway import serving
from selfrag_cli.local.sources.report import MassRemoval, NothingUsable
from selfrag_cli.local.sources.source import DocumentSource, SourceMismatch, stored_source
from selfrag_cli.local.sources.sync import Busy, embed_all, read, refuse_to_wait
from selfrag_cli.local.sources.workflow import IngestionStack, ingestion_stack
from selfrag_cli.local.stores.manifest import LocalManifest
from selfrag_cli.sample import HANDBOOK
from selfrag_cli.terminal import OnDocument, warn

_LOOK_SECONDS = 0.5


def serve_documents(
    source: DocumentSource,
    writable: bool,
    port: int,
    origins: Collection[str],
    token: str,
    on_document: OnDocument,
    announce: Callable[[str], None],
) -> None:
    """Serve a source, also to pages of these origins; `announce` gets the URL.

    With a `token`, callers need it as their key. A directory is read first and embedded in the background; if another
    process is reading it, its current index is served. A named collection is served without reading. In a writable
    directory, the API's uploads and deletions change files, and both are ingested. Ends when the process is interrupted
    or terminated, keeping answers and verdicts. Raises InvalidInput for an unsuitable source, Misconfigured for a port
    that is taken.
    """
    check_services()
    if writable:
        directory = source.required_directory
        if directory.resolve().is_relative_to(HANDBOOK.resolve()):
            raise InvalidInput("The sample handbook is not to be changed: name a directory of your own with --docs.")
        if os.path.isdir(directory) and not os.access(directory, os.W_OK | os.X_OK):
            raise InvalidInput(f"{directory} cannot be written: change its permissions or leave out --writable.")
    if source.directory is None:
        stored_records(source)
    else:
        _read(source, writable, on_document)
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, frame: ended.set())
    embed = partial(embed_all, source.collection, on_wait=refuse_to_wait)
    embedding = EmbeddingThread(lambda stopped: embed(stopped=stopped))
    with (
        open_executions(source, on_end=_log) as (executions, manifest),
        embedding.at_work(),
        _bucket(source, writable, manifest, embedding.wake) as bucket,
        serving(
            port,
            executions.watch,
            bucket,
            origins=origins,
            token=token,
            agents=(lambda handler: StackService(DocumentSource(source.collection), lambda: (handler, executions)))
            if find_spec("mcp")
            else None,
            admit=executions.admit,
        ) as url,
    ):
        announce(url)
        # The signal may come to another thread, and what waits without an end would not notice.
        while not ended.wait(_LOOK_SECONDS):
            pass


def _log(execution: Execution) -> None:
    """Write a line for a person who looks after the server; of the question it has a hash alone."""
    response = execution.output or {}
    # A question that failed has no output.
    started = execution.history[0].get("executionStartedEventDetails", {"input": "{}"})
    digest = hashlib.sha256(json.loads(started["input"]).get("question", "").encode()).hexdigest()[:12]
    status, cost = response.get("status", "failed"), response.get("usage", {}).get("cost_usd") or 0.0
    sys.stderr.write(f"selfrag: question {digest} {status} in {execution.seconds:.1f} s, {cost:.4f} USD\n")


@contextmanager
def _bucket(
    source: DocumentSource, writable: bool, manifest: LocalManifest, on_read: Callable[[], None]
) -> Iterator[Callable[[str], DirectoryBucket]]:
    """Yield what makes the bucket of a server's URL, in which documents are changed and ingested if it is writable."""
    if not writable:
        stored = stored_source(source.collection)
        read = Folder(stored.root, source.collection) if stored and isinstance(stored.root, Path) else None
        yield lambda url: DirectoryBucket(read, url)
        return
    folder = Folder(source.required_directory, source.collection)
    with ingestion_stack(manifest, open_embedder()) as stack:
        deleted = set[str]()
        documents = Documents(source.collection, manifest)
        ingesting = IngestionThread(partial(_ingest, source, stack, on_read, deleted), documents)

        def note(key: str, etag: str) -> None:
            (deleted.discard if etag else deleted.add)(source.path_of(key))
            ingesting.changed(key, etag)

        with ingesting.at_work(stack.close):
            yield lambda url: DirectoryBucket(folder, url, note)


def _read(source: DocumentSource, writable: bool, on_document: OnDocument) -> None:
    """Read a directory, unless another process does so now; an empty one may be filled by uploads."""
    with suppress(NothingUsable) if writable else nullcontext():
        try:
            warn(read(source, on_document, on_wait=refuse_to_wait).brief_lines(source))
        except Busy as error:
            warn([f"Another selfrag (process {error.process}) reads {source} just now; what is there is served."])


def _ingest(source: DocumentSource, stack: IngestionStack, on_read: Callable[[], None], deleted: set[str]) -> None:
    """Ingest changed documents; remove more than half of them only if callers `deleted` every one."""

    def may_replace(refusal: SourceMismatch | MassRemoval) -> bool:
        return isinstance(refusal, MassRemoval) and deleted.issuperset(refusal.lost)

    try:
        report = read(source, may_replace=may_replace, stack=stack)
        on_read()
    except NothingUsable as error:
        # A directory whose documents were deleted is no mistake.
        if not error.report.removed:
            raise
        report = error.report
    warn(report.warnings)
