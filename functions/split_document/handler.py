"""The Lambda of the state SplitDocument."""

from selfrag.ingestion import objects
from selfrag.observability import Event, step
from split_document.batches import Result, Task, split_into_batches


@step
def handler(event: Event) -> Result:
    """Cut a document into batches of passages."""
    return split_into_batches(Task.model_validate(event), objects())
