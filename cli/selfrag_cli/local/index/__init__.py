"""The laptop's stand-in for OpenSearch Serverless and Titan: passages and vectors in SQLite, searched exactly.

`local_parts` overrides the components of the deployed code.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path

from selfrag.bootstrap import Parts
from selfrag_cli.local.home import connect, home
from selfrag_cli.local.index.embedders import E5Embedder, NamedEmbedder
from selfrag_cli.local.index.embedding_cache import CachedEmbedder
from selfrag_cli.local.index.passage_index import EmbeddedIndex
from selfrag_cli.local.index.store import SCHEMA

__all__ = [
    "SAMPLE_VECTORS",
    "SCHEMA",
    "CachedEmbedder",
    "E5Embedder",
    "EmbeddedIndex",
    "NamedEmbedder",
    "embedding_with",
    "local_parts",
    "open_embedder",
    "open_index",
]

# The vectors of the sample handbook: the first answer of a new installation waits for none.
SAMPLE_VECTORS = Path(__file__).with_name("sample_vectors.npz")


def open_index() -> EmbeddedIndex:
    """Return the index in the home directory; one per process, so that passages are loaded once."""
    return _index_in(home())


def open_embedder() -> CachedEmbedder:
    """Return multilingual-e5-small, with the vectors of passages cached in the home directory."""
    return _embedder_in(home())


def local_parts() -> Parts:
    """Return the index and the embedder in the home directory."""
    return {"index": open_index(), "embedder": open_embedder()}


@contextmanager
def embedding_with(embedder: NamedEmbedder | None) -> Iterator[CachedEmbedder]:
    """Open an embedder whose vectors are cached in the home directory; multilingual-e5-small if it is None."""
    if embedder is None:
        yield open_embedder()
        return
    with closing(connect(SCHEMA)) as connection:
        yield CachedEmbedder(embedder, connection)


@cache
def _index_in(directory: Path) -> EmbeddedIndex:
    return EmbeddedIndex(connect(SCHEMA, directory))


@cache
def _embedder_in(directory: Path) -> CachedEmbedder:
    embedder = CachedEmbedder(E5Embedder(), connect(SCHEMA, directory))
    embedder.add_from(SAMPLE_VECTORS)
    return embedder
