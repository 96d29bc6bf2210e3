"""The Lambda of the state ParseDocument."""

from ingestion.parse_document.logic import Result, Task, read_object
from selfrag import bootstrap

bootstrap.warm(bootstrap.objects, bootstrap.ingestion_settings, bootstrap.recognizer)


@bootstrap.step(Task)
def handler(task: Task) -> Result:
    """Read a document from the bucket."""
    config = bootstrap.ingestion_settings()
    return read_object(task, bootstrap.objects(), config.made_by, bootstrap.recognizer(), config.recognition_pages)
