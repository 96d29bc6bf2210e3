"""The Lambda of the state Retrieve."""

from selfrag import bootstrap
from selfrag.domain.passages import FoundPassages
from selfrag.question.retrieve.logic import BY_TEXT_ALONE, Task, retrieve
from selfrag.runtime.metrics import count_full_text_search

bootstrap.warm(bootstrap.index, bootstrap.embedder)


@bootstrap.step("retrieve", Task)
def handler(task: Task) -> FoundPassages:
    """Find passages for a query, or fetch those of an earlier answer."""
    found = retrieve(task, bootstrap.index(), bootstrap.embedder())
    if BY_TEXT_ALONE in found.warnings:
        count_full_text_search()
    return found
