"""The local index brought up to date with a source: documents by the workflow, then the vectors of their passages.

Passages are written without vectors, so that they can be searched by their words at once. The directory is the bucket,
and the manifest says what the index holds of it: the workflow runs only for documents whose content differs from that.
"""

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import nullcontext, suppress
from pathlib import Path

from selfrag.domain.errors import SelfragError
from selfrag.domain.passages import Bounds
from selfrag.reader.processes import isolation
from selfrag.runtime.settings import IngestionSettings
from selfrag_cli.local.home import OnWait, alone, home
from selfrag_cli.local.index import NamedEmbedder, embedding_with, open_index
from selfrag_cli.local.index.backfill import VectorBackfill, yield_to_questions
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
from selfrag_cli.terminal import OnDocument, Progress

# So many passages are embedded before a question is answered; it takes some twenty seconds on two cores.
SMALL = 150
# Of a larger collection so many, which are those that the question's words find.
_SOON = 24

MayReplace = Callable[[SourceMismatch | MassRemoval], bool]


def sync(
    source: DocumentSource,
    on_document: OnDocument = lambda progress: None,
    embedder: NamedEmbedder | None = None,
    may_replace: MayReplace = lambda refusal: False,
    limits: SiteLimits = SiteLimits(),  # noqa: B008 (it is frozen)
    on_wait: OnWait = lambda process: None,
    is_trial: bool = False,
) -> IngestionReport:
    """Read a source as `read` does, then embed all its passages; returns the report, or raises what `read` raises.

    A trial does neither, and returns the report that this would end with.
    """
    report = read(source, on_document, embedder, may_replace, limits, None, on_wait, is_trial)
    if not is_trial:
        embed_all(source.collection, on_document, embedder, on_wait=on_wait)
    return report


def read(
    source: DocumentSource,
    on_document: OnDocument = lambda progress: None,
    embedder: NamedEmbedder | None = None,
    may_replace: MayReplace = lambda refusal: False,
    limits: SiteLimits = SiteLimits(),  # noqa: B008 (it is frozen)
    stack: IngestionStack | None = None,
    on_wait: OnWait = lambda process: None,
    is_trial: bool = False,
) -> IngestionReport:
    """Bring a collection up to date with its source.

    Its passages can then be searched by their words; `embed_all` adds the vectors, of multilingual-e5-small unless
    another embedder is given. A `stack` is one that is in force already. If more than half of the documents are gone,
    they are removed only if `may_replace` says so; else they are kept, and the report says so. Several processes may do
    so at once, for the same directory or others: `on_wait` is called with the id of the one that is waited for. Raises
    InvalidInput if the directory is missing, SourceMismatch if the collection was read from another source which it may
    not replace, NothingUsable if it holds no document that can be used, Interruption.
    """
    lock = nullcontext() if is_trial else alone(source.collection, on_wait)
    # Of several processes one brings it up to date, and the others find it so.
    with lock, embedding_with(embedder) as embedding, opened_manifest() as manifest:
        mismatch = mismatch_of(source)
        if mismatch and not is_trial and not may_replace(mismatch):
            raise mismatch
        # Read before the files are: what another process adds meanwhile is then not taken for a file that is gone.
        before = {source.path_of(key): record for key, record in manifest.records(source.collection).items()}
        files = _files(source, before, limits, on_document)
        comparison = Comparison(source, files, before, IngestionSettings(pipeline=pipeline(embedding)).made_by)
        removal = comparison.mass_removal()
        if is_trial:
            return comparison.planned([removal, mismatch])
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


def _files(source: DocumentSource, earlier: Iterable[str], limits: SiteLimits, on_document: OnDocument) -> Files:
    if not source.site:
        return documents_below(source.required_directory, source.collection)
    from selfrag_cli.local.sources.site.pages import crawled_pages

    return crawled_pages(source.site, cache_of(source.collection), earlier, limits, on_document)


def _save(comparison: Comparison, read_at: int | None = None) -> None:
    # An empty directory is no source yet.
    if comparison.before or comparison.files.paths:
        save_source(comparison.source.collection, comparison.source.root, comparison.unread, read_at)


def embed_all(
    collection: str,
    on_document: OnDocument = lambda progress: None,
    embedder: NamedEmbedder | None = None,
    stopped: threading.Event | None = None,
    on_wait: OnWait = lambda process: None,
) -> None:
    """Embed the passages of a collection that have no vector; multilingual-e5-small does it unless another is given.

    One process at a time does so: `on_wait` is called with the id of another one. Raises Interruption.
    """
    done = total = 0
    modified = _modified(collection)
    try:
        with embedding_with(embedder) as embedding, alone(_lock(collection), on_wait):
            for progress in VectorBackfill(open_index(), embedding, collection, modified).run(stopped):
                done, total = progress.done, progress.total
                on_document(Progress(done, total, progress.document, "Embedding", progress.share))
    except KeyboardInterrupt as error:
        raise Interruption(done, total, "passages are embedded") from error


def embed_for(question: str, collection: str, on_document: OnDocument, embedder: NamedEmbedder | None = None) -> None:
    """Embed what a question needs most: all passages of a small collection, else those that its words find."""
    index = open_index()
    pending = {passage.number for passage in index.unembedded(collection)}
    if 0 < len(pending) <= SMALL:
        embed_all(collection, on_document, embedder)
    elif pending:
        with embedding_with(embedder) as embedding:
            index.search(question, embedding.query(question), _SOON, Bounds([collection]))
            backfill = VectorBackfill(index, embedding, collection, lambda document: 0.0)
            backfill.embed([number for number in index.requested if number in pending])


def embed_in_background(collection: str) -> list[str]:
    """Start a process that embeds what has no vector, and say so in a sentence; none if there is nothing to do.

    It goes on when this process ends, as `git gc` does.
    """
    if not open_index().unembedded(collection):
        return []
    try:
        with alone(_lock(collection), refuse_to_wait):
            process = _started(collection)
    except Busy as error:
        process = error.process
    return [f"Process {process} embeds the other passages; questions are answered by words alone where it is not done."]


def _started(collection: str) -> int:
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
    """Another process, whose id is `process`, is at the work that this one was to do."""

    def __init__(self, process: int) -> None:
        super().__init__(f"Process {process} is at work here.")
        self.process = process


def refuse_to_wait(process: int) -> None:
    """Raise Busy, for a process that is not to be waited for."""
    raise Busy(process)


def _lock(collection: str) -> str:
    return f"{collection}.vectors"


def _modified(collection: str) -> Callable[[str], float]:
    """Return when a document of a collection was modified, 0 if that is not to be seen here."""
    source = stored_source(collection)
    directory = source.root if source and isinstance(source.root, Path) else None

    def modified(document: str) -> float:
        with suppress(OSError):
            return (directory / document).stat().st_mtime if directory else 0.0
        return 0.0

    return modified


if __name__ == "__main__":
    yield_to_questions()
    with suppress(Busy):
        embed_all(sys.argv[1], on_wait=refuse_to_wait)
