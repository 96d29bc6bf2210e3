"""The Lambda of the state Retrieve."""

from question.retrieve.logic import Result, Task, retrieve
from selfrag import bootstrap

bootstrap.warm(bootstrap.index, bootstrap.embedder)


@bootstrap.step(Task)
def handler(task: Task) -> Result:
    """Find passages for a query, or fetch those of an earlier answer."""
    return retrieve(task, bootstrap.index(), bootstrap.embedder())
