"""Reading a source with its vectors, as `selfrag ingest` does."""

from typing import Any

from selfrag_cli.local.sources.report import IngestionReport
from selfrag_cli.local.sources.source import DocumentSource
from selfrag_cli.local.sources.sync import embed_all, read


def sync(
    source: DocumentSource,
    on_document: Any = lambda progress: None,
    embedder: Any = None,
    on_wait: Any = lambda process: None,
    is_trial: bool = False,
    **options: Any,
) -> IngestionReport:
    """Bring a collection up to date, and embed its passages unless it is a trial; return the report."""
    report = read(source, on_document, embedder, on_wait=on_wait, is_trial=is_trial, **options)
    if not is_trial:
        embed_all(source.collection, on_document, embedder, on_wait=on_wait)
    return report
