"""Embedding of the passages of a place, which can be searched by their words before that."""

import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from selfrag.domain.errors import SelfragError
from selfrag.domain.passages import Bounds
from selfrag.reader.processes import isolation
from selfrag_cli.local.home import OnWait, alone, home
from selfrag_cli.local.index import NamedEmbedder, embedding_with, open_index
from selfrag_cli.local.index.backfill import VectorBackfill, yield_to_questions
from selfrag_cli.local.sources.place import source_of
from selfrag_cli.local.sources.progress import OnDocument, Progress
from selfrag_cli.local.sources.report import Interruption

# So many passages are embedded before a question is answered; it takes some twenty seconds on two cores.
SMALL = 150
# Of a larger collection so many, which are those that the question's words find.
_SOON = 24


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
    try:
        with embedding_with(embedder) as embedding, alone(_lock(collection), on_wait):
            for progress in VectorBackfill(open_index(), embedding, collection, _modified(collection)).run(stopped):
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
        isolation.command("selfrag_cli.local.sources.embedding", collection),
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
    source = source_of(collection)
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
