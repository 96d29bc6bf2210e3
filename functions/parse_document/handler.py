"""The Lambda of the state ParseDocument."""

from parse_document.reading import Result, Task, read_object
from selfrag.ingestion import ingestion_settings, objects
from selfrag.observability import Event, step


@step
def handler(event: Event) -> Result:
    """Read a document from the bucket."""
    return read_object(Task.model_validate(event), objects(), ingestion_settings().made_by)
