"""Reading a source with its vectors, as `selfrag ingest` does."""

from typing import Any

from selfrag_cli.local.home import connect
from selfrag_cli.local.index import SCHEMA
from selfrag_cli.local.index.embedding_cache import CachedEmbedder
from selfrag_cli.local.sources.report import IngestionReport
from selfrag_cli.local.sources.source import DocumentSource
from selfrag_cli.local.sources.sync import embed_all, read


def cached(embedder: Any) -> CachedEmbedder:
    """Return an embedder with its cache in the home."""
    return CachedEmbedder(embedder, connect(SCHEMA))


def sync(
    source: DocumentSource,
    on_document: Any = lambda progress: None,
    embedder: Any = None,
    on_wait: Any = lambda process: None,
    is_trial: bool = False,
    **options: Any,
) -> IngestionReport:
    """Bring a collection up to date, and embed its passages unless it is a trial; return the report."""
    embedding = embedder and cached(embedder)
    report = read(source, on_document, embedding, on_wait=on_wait, is_trial=is_trial, **options)
    if not is_trial:
        embed_all(source.collection, on_document, embedding, on_wait=on_wait)
    return report
