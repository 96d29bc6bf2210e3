"""The Lambda of the state EmbedPassages."""

from selfrag.ingestion.embed_passages.logic import Result, Task, embed
from selfrag import bootstrap
from selfrag.bootstrap import ingestion

bootstrap.warm(ingestion.objects, bootstrap.embedder)


@bootstrap.step(Task)
def handler(task: Task) -> Result:
    """Embed a batch of passages."""
    return embed(task, ingestion.objects(), bootstrap.embedder())
