"""The best passages of an index for queries."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from selfrag.domain.passages import Bounds, Candidates, Passage
from selfrag.ports.index import PassageIndex
from selfrag.retrieval.duplicates import fold
from selfrag.text.file_names import is_named
from selfrag.text.fusion import fuse

CANDIDATES = 50
MAX_SEARCHES = 3


@dataclass(frozen=True)
class SearchResult:
    """The best passages of a search, with near-duplicates folded.

    `text_hits` is the first query's; `by_text` and `by_vector` are the scores of all hits by passage id. `warnings`
    describe omissions.
    """

    passages: list[Passage]
    text_hits: int | None
    by_text: dict[str, float]
    by_vector: dict[str, float]
    warnings: Sequence[str] = ()


def search(
    index: PassageIndex,
    queries: Sequence[tuple[str, Sequence[float] | None]],
    top_k: int,
    bounds: Bounds,
    spread_floor: float,
) -> SearchResult:
    """Search for each query and its vector, and return the best passages of each in turn.

    Passages of a document that a query names by its file come first. If near-duplicates filled the lists, so that fewer
    than `top_k` passages are left, it searches again without them.
    """
    hits: dict[str, Passage] = {}
    scores: tuple[dict[str, float], dict[str, float]] = ({}, {})
    passages: list[Passage] = []
    text_hits: int | None = None
    warnings: dict[str, None] = {}
    for attempt in range(MAX_SEARCHES):
        unseen = replace(bounds, without=[*bounds.without, *hits])
        lists = [index.search(text, vector, CANDIDATES, unseen) for text, vector in queries]
        texts = [text for text, _ in queries]
        for rank in zip_longest(
            *map(_named_first, texts, (rank_passages(candidates, spread_floor) for candidates in lists))
        ):
            for passage in filter(None, rank):
                hits.setdefault(passage.passage_id, passage)
        for candidates in lists:
            for ranking, by_id in zip((candidates.by_text, candidates.by_vector), scores, strict=True):
                by_id.update({passage.passage_id: score for passage, score in ranking})
            warnings.update(dict.fromkeys(candidates.warnings))
        if not attempt and lists:
            text_hits = lists[0].text_hits
        passages = fold(list(hits.values()))
        if len(passages) >= top_k or not any(each.text_full or each.vector_full for each in lists):
            break
    return SearchResult(passages[:top_k], text_hits, *scores, list(warnings))


def _named_first(query: str, passages: Sequence[Passage]) -> list[Passage]:
    return sorted(passages, key=lambda passage: not is_named(query, passage.document))


def rank_passages(candidates: Candidates, spread_floor: float) -> list[Passage]:
    """Return all passages of both searches, best first, each with its fused score."""
    hits = (candidates.by_text, candidates.by_vector)
    passages = {passage.passage_id: passage for search in hits for passage, _ in search}
    by_text, by_vector = ({passage.passage_id: score for passage, score in search} for search in hits)
    fused = fuse(
        by_text,
        by_vector,
        text_full=candidates.text_full,
        spread_floor=spread_floor,
        unembedded=candidates.unembedded,
    )
    return [passages[i].replace(score=round(score, 4)) for i, score in fused.items()]
