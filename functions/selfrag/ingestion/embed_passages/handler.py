"""The Lambda of the state EmbedPassages."""

from selfrag import bootstrap
from selfrag.bootstrap import ingestion
from selfrag.ingestion.embed_passages.logic import EmbedPassagesResult, EmbedPassagesTask, embed

bootstrap.warm(ingestion.objects, bootstrap.embedder)


@bootstrap.step("embed_passages", EmbedPassagesTask)
def handler(task: EmbedPassagesTask) -> EmbedPassagesResult:
    """Embed a batch of passages."""
    return embed(task, ingestion.objects(), bootstrap.embedder())
