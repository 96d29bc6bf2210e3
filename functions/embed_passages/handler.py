"""The Lambda of the state EmbedPassages."""

from embed_passages.logic import Result, Task, embed
from selfrag.embeddings import configured_embedder
from selfrag.ingestion import objects
from selfrag.observability import Event, step


@step
def handler(event: Event) -> Result:
    """Embed a batch of passages."""
    return embed(Task.model_validate(event), objects(), configured_embedder())
