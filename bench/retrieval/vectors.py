"""Vectors of the benchmarks' paragraphs, cached on disk by text: a second run embeds nothing."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from selfrag.domain.errors import Misconfigured
from selfrag_cli.local.home import connect, open_transaction, user_directory
from selfrag_cli.local.index import SCHEMA, CachedEmbedder
from selfrag_cli.local.index.embedders import NamedEmbedder


class CountedEmbedder:
    """Another embedder, and how many passages it had to embed."""

    def __init__(self, embedder: NamedEmbedder) -> None:
        self.name, self.spread_floor = embedder.name, embedder.spread_floor
        self.embedded = 0
        self._embedder = embedder

    def query(self, text: str) -> list[float]:
        """Return the vector of a search query."""
        return self._embedder.query(text)

    def passages(self, texts: Sequence[str]) -> Iterable[list[float]]:
        """Return the vectors of passages, in the same order."""
        self.embedded += len(texts)
        return self._embedder.passages(texts)


@contextmanager
def kept_on_disk(embedder: NamedEmbedder) -> Iterator[tuple[NamedEmbedder, str]]:
    """Give an embedder that keeps its vectors, and their place; or the same embedder, and why it keeps none."""
    try:
        directory = user_directory("SELFRAG_BENCH_CACHE", "XDG_CACHE_HOME", ".cache", "selfrag/bench")
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        connection = _opened(directory)
    except (OSError, RuntimeError, Misconfigured) as error:
        yield embedder, f"not kept: {str(error).rstrip('.')}"
        return
    with closing(connection):
        yield CachedEmbedder(embedder, connection), f"kept in {directory}"


def _opened(directory: Path) -> sqlite3.Connection:
    connection = connect(SCHEMA, directory)
    try:
        with open_transaction(connection):
            return connection
    except Misconfigured:
        connection.close()
        raise
