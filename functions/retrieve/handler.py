"""The Lambda of the state Retrieve."""

from retrieve.logic import Result, Task, retrieve
from selfrag.embeddings import configured_embedder
from selfrag.observability import Event, step
from selfrag.passages import configured_index


@step
def handler(event: Event) -> Result:
    """Find passages for a query, or fetch those of an earlier answer."""
    return retrieve(Task.model_validate(event), configured_index(), configured_embedder())
