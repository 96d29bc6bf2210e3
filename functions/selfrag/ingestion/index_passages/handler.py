"""The Lambda of the state IndexPassages."""

from selfrag import bootstrap
from selfrag.bootstrap import ingestion
from selfrag.ingestion.index_passages.logic import IndexPassagesResult, IndexPassagesTask, index

bootstrap.warm(ingestion.ingestion_settings, ingestion.objects, ingestion.manifest, bootstrap.index)


@bootstrap.step("index_passages", IndexPassagesTask)
def handler(task: IndexPassagesTask) -> IndexPassagesResult:
    """Write a batch of passages to the index."""
    view_seconds = ingestion.ingestion_settings().view_seconds
    return index(task, ingestion.objects(), ingestion.manifest(), bootstrap.index(), view_seconds)
