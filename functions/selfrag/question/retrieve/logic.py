"""Retrieval: embed the query, search by text and vector, fuse; or fetch an earlier answer's evidence.

If embedding fails, full text alone is searched, so that a question never waits for the embedding model.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from selfrag.domain.errors import TemporarilyUnavailable
from selfrag.domain.passages import Passage
from selfrag.domain.steps import RetrievedPassages, RetrieveTask
from selfrag.ports.embedder import Embedder
from selfrag.ports.index import PassageIndex
from selfrag.retrieval.duplicates import newer_versions
from selfrag.retrieval.search import search
from selfrag.text.state_budget import cut_to_budget

# Maximum number of previously refused passages among the best.
MAX_REFUSED = 3
BY_TEXT_ALONE = "The embedding model was too busy: this search was by full text alone."
# A collection that is awake answers within a second.
MIN_SLOW_SECONDS = 8.0
SLOW_SEARCH = "The search took {seconds:.0f} seconds. A collection that scaled to zero takes 10 to 30 to start."


def retrieve(
    task: RetrieveTask, index: PassageIndex, embedder: Embedder | None, now: Callable[[], float] = time.monotonic
) -> RetrievedPassages:
    """Return the queries' passages, interleaved by rank, within the state's budget.

    Passages to fetch replace the search, unless none still exists. An index that embeds queries itself has no embedder.
    """
    bounds = task.filters.search_bounds(task.collections)
    passages: Sequence[Passage] = []
    warnings: list[str] = []
    text_hits: int | None = None
    if bounds.collections and task.passage_ids:
        passages = index.fetch(task.passage_ids, bounds)
    if bounds.collections and task.queries and not passages:
        queries = []
        for query in task.queries:
            vector: Sequence[float] | None = None
            try:
                vector = embedder.query(query) if embedder else None
            except TemporarilyUnavailable:
                warnings.append(BY_TEXT_ALONE)
            queries.append((query, vector))
        floor, started = embedder.spread_floor if embedder else 0.0, now()
        hits = search(index, queries, task.top_k + len(task.refused), replace(bounds, without=task.seen), floor)
        new = [passage for passage in hits.passages if passage.passage_id not in task.refused][: task.top_k]
        again = [passage for passage in hits.passages[:MAX_REFUSED] if passage.passage_id in task.refused]
        passages, text_hits = [passage for passage in hits.passages if passage in again + new], hits.text_hits
        warnings += hits.warnings
        if (seconds := now() - started) >= MIN_SLOW_SECONDS:
            warnings.append(SLOW_SEARCH.format(seconds=seconds))
    fitting, size, dropped = cut_to_budget(passages, task.bytes_used, shared=task.shared)
    result = RetrievedPassages.create(fitting, size, [*dict.fromkeys(warnings), *dropped], text_hits)
    return result.replace(newer=newer_versions(fitting))
