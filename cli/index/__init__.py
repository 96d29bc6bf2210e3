"""The laptop's stand-in for OpenSearch Serverless and Titan: passages and vectors in SQLite, searched exactly.

Deployed code meets it through `open_index` and `open_embedder`, named in SELFRAG_PASSAGE_INDEX and SELFRAG_EMBEDDER.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path

from cli.home import connect, home
from cli.index.embedded import EmbeddedIndex
from cli.index.embedders import E5Embedder, KeptEmbedder, NamedEmbedder
from cli.index.store import SCHEMA

__all__ = [
    "SCHEMA",
    "E5Embedder",
    "EmbeddedIndex",
    "KeptEmbedder",
    "NamedEmbedder",
    "embedding_with",
    "open_embedder",
    "open_index",
]

_instead: list[KeptEmbedder] = []


def open_index() -> EmbeddedIndex:
    """The index in the home directory; one per process, so that passages are loaded once."""
    return _index_in(home())


def open_embedder() -> KeptEmbedder:
    """multilingual-e5-small, with the vectors of passages kept in the home directory."""
    return _instead[-1] if _instead else _embedder_in(home())


@contextmanager
def embedding_with(embedder: NamedEmbedder | None) -> Iterator[KeptEmbedder]:
    """Let `open_embedder` give another embedder, its vectors kept likewise, in all threads until the block ends."""
    if embedder is None:
        yield open_embedder()
        return
    with closing(connect(SCHEMA)) as connection:
        _instead.append(KeptEmbedder(embedder, connection))
        try:
            yield _instead[-1]
        finally:
            _instead.pop()


@cache
def _index_in(directory: Path) -> EmbeddedIndex:
    return EmbeddedIndex(connect(SCHEMA, directory))


@cache
def _embedder_in(directory: Path) -> KeptEmbedder:
    return KeptEmbedder(E5Embedder(), connect(SCHEMA, directory))
