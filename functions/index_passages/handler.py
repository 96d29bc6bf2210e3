"""The Lambda of the state IndexPassages."""

from index_passages.logic import Result, Task, index
from selfrag.ingestion import ingestion_settings, objects
from selfrag.manifest import manifest
from selfrag.observability import Event, step
from selfrag.passages import configured_writer


@step
def handler(event: Event) -> Result:
    """Write a batch of passages to the index."""
    task = Task.model_validate(event)
    return index(task, objects(), manifest(), configured_writer(), ingestion_settings().view_seconds)
