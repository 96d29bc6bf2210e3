"""The Lambda of the state RemovePassages."""

from selfrag import bootstrap
from selfrag.bootstrap import ingestion
from selfrag.ingestion.remove_passages.logic import RemovePassagesResult, RemovePassagesTask, remove

bootstrap.warm(ingestion.manifest, bootstrap.index, ingestion.ingestion_settings)


@bootstrap.step("remove_passages", RemovePassagesTask)
def handler(task: RemovePassagesTask) -> RemovePassagesResult:
    """Remove passages that are not of the document's content any more."""
    return remove(task, ingestion.manifest(), bootstrap.index(), ingestion.ingestion_settings().view_seconds)
