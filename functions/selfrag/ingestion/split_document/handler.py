"""The Lambda of the state SplitDocument."""

from selfrag import bootstrap
from selfrag.bootstrap import ingestion
from selfrag.ingestion.split_document.logic import Result, Task, split_into_batches

bootstrap.warm(ingestion.objects)


@bootstrap.step("split_document", Task)
def handler(task: Task) -> Result:
    """Cut a document into batches of passages."""
    return split_into_batches(task, ingestion.objects())
