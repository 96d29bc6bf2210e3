"""The Lambda of the state IndexPassages."""

from ingestion.index_passages.logic import Result, Task, index
from selfrag import bootstrap

bootstrap.warm(bootstrap.ingestion_settings, bootstrap.objects, bootstrap.manifest, bootstrap.index)


@bootstrap.step(Task)
def handler(task: Task) -> Result:
    """Write a batch of passages to the index."""
    view_seconds = bootstrap.ingestion_settings().view_seconds
    return index(task, bootstrap.objects(), bootstrap.manifest(), bootstrap.index(), view_seconds)
