"""The laptop's stand-in for OpenSearch Serverless and Titan: passages and vectors in SQLite, searched exactly.

Deployed code meets it through `open_index` and `open_embedder`, named in SELFRAG_PASSAGE_INDEX and SELFRAG_EMBEDDER.
"""

from functools import cache
from pathlib import Path

from cli.home import connect, home
from cli.index.embedded import EmbeddedIndex
from cli.index.embedders import E5Embedder, KeptEmbedder, NamedEmbedder
from cli.index.store import SCHEMA, Collection, collection_of, embedded_text

__all__ = [
    "SCHEMA",
    "Collection",
    "E5Embedder",
    "EmbeddedIndex",
    "KeptEmbedder",
    "NamedEmbedder",
    "collection_of",
    "embedded_text",
    "open_embedder",
    "open_index",
]


def open_index() -> EmbeddedIndex:
    """The index in the home directory; one per process, so that passages are loaded once."""
    return _index_in(home())


def open_embedder() -> KeptEmbedder:
    """multilingual-e5-small, with the vectors of passages kept in the home directory."""
    return _embedder_in(home())


@cache
def _index_in(directory: Path) -> EmbeddedIndex:
    return EmbeddedIndex(connect(SCHEMA, directory))


@cache
def _embedder_in(directory: Path) -> KeptEmbedder:
    return KeptEmbedder(E5Embedder(), connect(SCHEMA, directory))
