"""Synchronization of the local index with a source: ingestion, then embedding.

Passages are written without vectors first, so that they are searchable by text at once. The directory acts as the
bucket, and the workflow runs only for documents that differ from the manifest.
"""

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import nullcontext, suppress
from pathlib import Path

from selfrag.domain.errors import SelfragError
from selfrag.domain.passages import Bounds
from selfrag.reader.processes import isolation
from selfrag.runtime.settings import IngestionSettings
from selfrag_cli.local.home import OnWait, hold_lock, home
from selfrag_cli.local.index import open_embedder, open_index
from selfrag_cli.local.index.backfill import embed_passages, embed_pending, yield_to_questions
from selfrag_cli.local.index.embedding_cache import CachedEmbedder
from selfrag_cli.local.sources.report import Comparison, IngestionReport, Interruption, MassRemoval
from selfrag_cli.local.sources.site import SiteLimits, cache_of
from selfrag_cli.local.sources.source import (
    DocumentSource,
    Files,
    SourceMismatch,
    documents_below,
    mismatch_of,
    save_source,
    stored_source,
)
from selfrag_cli.local.sources.workflow import IngestionStack, ingest_documents, ingestion_stack, pipeline
from selfrag_cli.local.stores.manifest import opened_manifest
from selfrag_cli.terminal import OnDocument

# Passages to embed before a question is answered; about twenty seconds on two cores.
SMALL = 150
# For larger collections: the number of full-text hits to embed.
_SOON = 24

MayReplace = Callable[[SourceMismatch | MassRemoval], bool]


def read(
    source: DocumentSource,
    on_document: OnDocument = lambda progress: None,
    embedder: CachedEmbedder | None = None,
    may_replace: MayReplace = lambda refusal: False,
    limits: SiteLimits = SiteLimits(),  # noqa: B008 (it is frozen)
    stack: IngestionStack | None = None,
    on_wait: OnWait = lambda process: None,
    is_trial: bool = False,
) -> IngestionReport:
    """Bring a collection up to date with its source.

    Its passages are then searchable by text; `embed_all` adds the vectors (multilingual-e5-small by default). A trial
    only returns the report of the expected result. `stack` reuses an open one. If more than half of the documents
    disappeared, `may_replace` decides on their removal; otherwise they are kept and reported. Processes wait for each
    other per collection: `on_wait` gets the other one's id. Raises InvalidInput if the directory is missing,
    SourceMismatch if the collection has another source that may not be replaced, NothingUsable without a usable
    document, Interruption.
    """
    lock = nullcontext() if is_trial else hold_lock(source.collection, on_wait)
    # One process updates the collection; waiting ones then find nothing to do.
    with lock, opened_manifest() as manifest:
        mismatch = mismatch_of(source)
        if mismatch and not is_trial and not may_replace(mismatch):
            raise mismatch
        # Read the records before the files: a document that another process adds meanwhile must not look deleted.
        before = {source.path_of(key): record for key, record in manifest.records(source.collection).items()}
        if source.site:
            from selfrag_cli.local.sources.site.pages import crawled_pages

            files: Files = crawled_pages(source.site, cache_of(source.collection), before, limits, on_document)
        else:
            files = documents_below(source.required_directory, source.collection)
        embedding = embedder or open_embedder()
        comparison = Comparison(source, files, before, IngestionSettings(pipeline=pipeline(embedding)).made_by)
        removal = comparison.mass_removal()
        if is_trial:
            return comparison.plan_report([removal, mismatch])
        if removal and not may_replace(removal):
            comparison.retain_lost(str(removal))
        if comparison.todo or comparison.gone:
            _save(comparison, int(time.time()))
            with nullcontext(stack) if stack else ingestion_stack(manifest, embedding) as parts:
                after = ingest_documents(comparison, parts, on_document)
        else:
            after = before
        _save(comparison)
        return comparison.report(after)


def _save(comparison: Comparison, read_at: int | None = None) -> None:
    # An empty directory does not become a source.
    if comparison.before or comparison.files.paths:
        save_source(comparison.source.collection, comparison.source.root, comparison.unread, read_at)


def embed_all(
    collection: str,
    on_document: OnDocument = lambda progress: None,
    embedder: CachedEmbedder | None = None,
    stopped: threading.Event | None = None,
    on_wait: OnWait = lambda process: None,
) -> None:
    """Embed a collection's passages without vectors, by default with multilingual-e5-small.

    Processes wait for each other: `on_wait` gets the other one's id. Raises Interruption.
    """
    done = total = 0
    modified = _modification_times(collection)
    try:
        index, embedding = open_index(), embedder or open_embedder()
        with hold_lock(_lock(collection), on_wait):
            for progress in embed_pending(index, embedding, collection, modified, stopped):
                done, total = progress.done, progress.total
                on_document(progress)
    except KeyboardInterrupt as error:
        raise Interruption(done, total, "passages are embedded") from error


def embed_for(question: str, collection: str, on_document: OnDocument, embedder: CachedEmbedder | None = None) -> None:
    """Embed the passages a question needs: all of a small collection, else its full-text hits."""
    index, embedding = open_index(), embedder or open_embedder()
    pending = {passage.number for passage in index.find_unembedded(collection)}
    if 0 < len(pending) <= SMALL:
        embed_all(collection, on_document, embedder)
    elif pending:
        index.search(question, embedding.query(question), _SOON, Bounds([collection]))
        embed_passages(index, embedding, [number for number in index.pending_requests if number in pending])


def embed_in_background(collection: str) -> list[str]:
    """Start a process that embeds missing vectors and return a notice; nothing if none are missing.

    It outlives this process, like `git gc`.
    """
    if not open_index().find_unembedded(collection):
        return []
    try:
        with hold_lock(_lock(collection), refuse_to_wait):
            process = _start_process(collection)
    except Busy as error:
        process = error.process
    return [f"Process {process} embeds the other passages; questions are answered by words alone where it is not done."]


def _start_process(collection: str) -> int:
    return subprocess.Popen(  # noqa: S603 (a program of ours)
        isolation.command("selfrag_cli.local.sources.sync", collection),
        cwd=isolation.DIRECTORY,
        env={**isolation.environment(), "SELFRAG_HOME": str(home().absolute())},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ).pid


class Busy(SelfragError):
    """Another process, with the id `process`, is doing the same work."""

    def __init__(self, process: int) -> None:
        super().__init__(f"Process {process} is at work here.")
        self.process = process


def refuse_to_wait(process: int) -> None:
    """Raise Busy instead of waiting for a process."""
    raise Busy(process)


def _lock(collection: str) -> str:
    return f"{collection}.vectors"


def _modification_times(collection: str) -> Callable[[str], float]:
    source = stored_source(collection)
    directory = source.root if source and isinstance(source.root, Path) else None

    def modification_time(document: str) -> float:
        with suppress(OSError):
            return (directory / document).stat().st_mtime if directory else 0.0
        return 0.0

    return modification_time


if __name__ == "__main__":
    yield_to_questions()
    with suppress(Busy):
        embed_all(sys.argv[1], on_wait=refuse_to_wait)
