"""The Lambda of the state SplitDocument."""

from ingestion.split_document.logic import Result, Task, split_into_batches
from selfrag import bootstrap
from selfrag.bootstrap import ingestion
from selfrag.processes.pool import POOL

bootstrap.warm(POOL.start, ingestion.objects)


@bootstrap.step(Task)
def handler(task: Task) -> Result:
    """Cut a document into batches of passages."""
    return split_into_batches(task, ingestion.objects())
