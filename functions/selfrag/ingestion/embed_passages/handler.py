"""The Lambda of the state EmbedPassages."""

from selfrag import bootstrap
from selfrag.bootstrap import ingestion
from selfrag.ingestion.embed_passages.logic import Result, Task, embed

bootstrap.warm(ingestion.objects, bootstrap.embedder)


@bootstrap.step("embed_passages", Task)
def handler(task: Task) -> Result:
    """Embed a batch of passages."""
    return embed(task, ingestion.objects(), bootstrap.embedder())
