"""Retrieval: embed the query, search both ways and fuse; or fetch the evidence of an earlier answer.

If a query cannot be embedded now, full text alone is searched: a question does not wait for the embedding model.
"""

from collections.abc import Sequence
from dataclasses import replace

from pydantic import BaseModel, Field

from selfrag.domain.errors import TemporarilyUnavailable
from selfrag.domain.passages import FoundPassages
from selfrag.domain.questions import Filters
from selfrag.ports.embedder import Embedder
from selfrag.ports.index import PassageIndex, search
from selfrag.text.state_budget import within_budget

BY_TEXT_ALONE = "The embedding model was too busy: this search was by full text alone."


class Task(BaseModel):
    """The queries and the caller's collections, which `filters` may narrow but not widen.

    `passage_ids`, if any, are fetched in place of a search, within the same bounds. A search leaves out the passages
    `seen` before. `shared` says that a web search at the same time uses the state's room as well. `deadline_ms` decides
    whether a failed search may be retried; the handler's wrapper reads it.
    """

    queries: list[str] = []
    collections: list[str] = Field(min_length=1)
    filters: Filters = Filters()
    top_k: int = Field(ge=1)
    passage_ids: list[str] = []
    seen: list[str] = []
    bytes_used: int = 0
    shared: bool = False
    deadline_ms: float | None = None


def retrieve(task: Task, index: PassageIndex, embedder: Embedder) -> FoundPassages:
    """Return the passages of the queries, the best of each in turn, within the state's budget."""
    bounds = task.filters.within(task.collections)
    noted: list[str] = []
    text_hits: int | None = None
    if not bounds.collections:
        found = []
    elif task.passage_ids:
        found = index.fetch(task.passage_ids, bounds)
    else:
        queries = []
        for query in task.queries:
            vector, warned = _vector(query, embedder)
            noted += warned
            queries.append((query, vector))
        result = search(index, queries, task.top_k, replace(bounds, without=task.seen), embedder.spread_floor)
        found, text_hits = result.passages, result.text_hits
    kept, size, warnings = within_budget(found, task.bytes_used, shared=task.shared)
    noted = [*dict.fromkeys(noted), *warnings]
    return FoundPassages(passages=kept, bytes=size, text_hits=text_hits, warnings=noted)


def _vector(query: str, embedder: Embedder) -> tuple[Sequence[float] | None, list[str]]:
    """Return the query's vector; or none, and the warning that says so."""
    try:
        return embedder.query(query), []
    except TemporarilyUnavailable:
        return None, [BY_TEXT_ALONE]
