"""The index of passages, as a Protocol, and the fusion of its two kinds of search."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev
from typing import Protocol

from selfrag.errors import Misconfigured
from selfrag.models import Passage
from selfrag.settings import settings

CANDIDATES = 50


@dataclass(frozen=True)
class Candidates:
    """What the two searches found, best first, each with its own score."""

    by_text: Sequence[tuple[Passage, float]]
    by_vector: Sequence[tuple[Passage, float]]


class PassageIndex(Protocol):
    """Where passages are kept; every call is limited to the caller's collections."""

    def search(self, text: str, vector: Sequence[float], size: int, collections: Sequence[str]) -> Candidates:
        """The best passages by full text and by vector, at most `size` of each."""

    def fetch(self, passage_ids: Sequence[str], collections: Sequence[str]) -> list[Passage]:
        """The passages with these ids; ids that are gone, or of other collections, are left out."""


def configured_index() -> PassageIndex:
    """The index that `SELFRAG_PASSAGE_INDEX` names; raises Misconfigured when it names none."""
    factory = settings().passage_index
    if factory is None:
        raise Misconfigured("SELFRAG_PASSAGE_INDEX must name a factory of a passage index")
    index: PassageIndex = factory()
    return index


def fuse(candidates: Candidates, top_k: int) -> list[Passage]:
    """Rank by the sum of z-scores; a passage that one search did not find gets that search's lowest score."""
    passages: dict[str, Passage] = {}
    total: dict[str, float] = {}
    for found in (candidates.by_text, candidates.by_vector):
        passages.update((passage.passage_id, passage) for passage, _ in found)
    for found in (candidates.by_text, candidates.by_vector):
        standing = _z_scores({passage.passage_id: score for passage, score in found})
        lowest = min(standing.values(), default=0.0)
        for passage_id in passages:
            total[passage_id] = total.get(passage_id, 0.0) + standing.get(passage_id, lowest)
    # Ties are broken by id, so that the same question finds the same order.
    best = sorted(total, key=lambda passage_id: (-total[passage_id], passage_id))[:top_k]
    return [passages[i].model_copy(update={"score": round(total[i], 4)}) for i in best]


def _z_scores(scores: dict[str, float]) -> dict[str, float]:
    if not scores:
        return {}
    mean, spread = fmean(scores.values()), pstdev(scores.values())
    return {key: (score - mean) / spread if spread else 0.0 for key, score in scores.items()}
