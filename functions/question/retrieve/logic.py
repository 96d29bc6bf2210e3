"""Retrieval: embed the query, search both ways and fuse; or fetch the evidence of an earlier answer.

If a query cannot be embedded now, full text alone is searched: a question does not wait for the embedding model.
"""

from collections.abc import Sequence
from itertools import zip_longest

from pydantic import BaseModel, Field

from selfrag.domain.errors import TemporarilyUnavailable
from selfrag.domain.passages import FoundPassages, Passage
from selfrag.domain.questions import Filters
from selfrag.ports.embedder import Embedder
from selfrag.ports.index import CANDIDATES, PassageIndex, best
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
    if not bounds.collections:
        found = []
    elif task.passage_ids:
        found = index.fetch(task.passage_ids, bounds)
    else:
        lists = []
        for query in task.queries:
            vector, warned = _vector(query, embedder)
            noted += warned
            lists.append(best(index.search(query, vector, CANDIDATES, bounds), task.top_k))
        found = _in_turn(lists)[: task.top_k]
    kept, size, warnings = within_budget(found, task.bytes_used, shared=task.shared)
    return FoundPassages(passages=kept, bytes=size, warnings=[*dict.fromkeys(noted), *warnings])


def _in_turn(lists: Sequence[Sequence[Passage]]) -> list[Passage]:
    """Return the first of each list, then the second of each, and so on, without repeats."""
    mixed: dict[str, Passage] = {}
    for rank in zip_longest(*lists):
        for passage in filter(None, rank):
            mixed.setdefault(passage.passage_id, passage)
    return list(mixed.values())


def _vector(query: str, embedder: Embedder) -> tuple[Sequence[float] | None, list[str]]:
    """Return the query's vector; or none, and the warning that says so."""
    try:
        return embedder.query(query), []
    except TemporarilyUnavailable:
        return None, [BY_TEXT_ALONE]
