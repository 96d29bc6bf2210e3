"""The best passages of one search of an index."""

from selfrag.domain.passages import Candidates, Passage
from selfrag.retrieval.duplicates import fold
from selfrag.retrieval.search import rank_passages


def best(candidates: Candidates, top_k: int, spread_floor: float = 0.0) -> list[Passage]:
    """Return the best passages of both searches, each with its fused score and its near-duplicates."""
    return fold(rank_passages(candidates, spread_floor))[:top_k]
