"""The local replacement for OpenSearch Serverless and Titan: exact search over passages and vectors in SQLite."""

from functools import cache
from pathlib import Path

from selfrag_cli.local.home import connect, home
from selfrag_cli.local.index.embedders import E5Embedder
from selfrag_cli.local.index.embedding_cache import CachedEmbedder
from selfrag_cli.local.index.passage_index import EmbeddedIndex
from selfrag_cli.local.index.store import SCHEMA

# Vectors of the sample handbook, so that a new installation answers at once.
SAMPLE_VECTORS = Path(__file__).with_name("sample_vectors.npz")


def open_index() -> EmbeddedIndex:
    """Return this process's index in the home directory, with passages loaded once."""
    return _index_in(home())


def open_embedder() -> CachedEmbedder:
    """Return multilingual-e5-small with its cache of passage vectors in the home directory."""
    return _embedder_in(home())


@cache
def _index_in(directory: Path) -> EmbeddedIndex:
    return EmbeddedIndex(connect(SCHEMA, directory))


@cache
def _embedder_in(directory: Path) -> CachedEmbedder:
    embedder = CachedEmbedder(E5Embedder(), connect(SCHEMA, directory))
    embedder.add_from(SAMPLE_VECTORS)
    return embedder
