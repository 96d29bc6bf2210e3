"""The Lambda of the state RemovePassages."""

from remove_passages.logic import Result, Task, remove
from selfrag.ingestion import ingestion_settings
from selfrag.manifest import manifest
from selfrag.observability import Event, step
from selfrag.passages import configured_writer


@step
def handler(event: Event) -> Result:
    """Remove passages that are not of the document's content any more."""
    return remove(Task.model_validate(event), manifest(), configured_writer(), ingestion_settings().view_seconds)
