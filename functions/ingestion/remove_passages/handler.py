"""The Lambda of the state RemovePassages."""

from ingestion.remove_passages.logic import Result, Task, remove
from selfrag import bootstrap

bootstrap.warm(bootstrap.manifest, bootstrap.index, bootstrap.ingestion_settings)


@bootstrap.step(Task)
def handler(task: Task) -> Result:
    """Remove passages that are not of the document's content any more."""
    return remove(task, bootstrap.manifest(), bootstrap.index(), bootstrap.ingestion_settings().view_seconds)
