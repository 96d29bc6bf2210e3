"""The Lambda of the state Retrieve."""

from selfrag import bootstrap
from selfrag.bootstrap.knowledge_base import search_parts
from selfrag.domain.steps import RetrievedPassages, RetrieveTask
from selfrag.question.retrieve.logic import BY_TEXT_ALONE, retrieve
from selfrag.runtime.metrics import count_event

bootstrap.warm(search_parts)


@bootstrap.step("retrieve", RetrieveTask)
def handler(task: RetrieveTask) -> RetrievedPassages:
    """Find passages for a query, or fetch those of an earlier answer."""
    result = retrieve(task, *search_parts())
    if BY_TEXT_ALONE in result.warnings:
        count_event("retrieve", "FullTextSearches")
    return result
