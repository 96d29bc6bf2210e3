"""The index of passages, as a Protocol, and the fusion of its two kinds of search."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import fmean, pstdev
from typing import Any, Protocol

from selfrag.errors import Misconfigured
from selfrag.models import Passage
from selfrag.settings import settings

CANDIDATES = 50


@dataclass(frozen=True)
class Candidates:
    """What the two searches found, best first, each with its own score."""

    by_text: Sequence[tuple[Passage, float]]
    by_vector: Sequence[tuple[Passage, float]]


@dataclass(frozen=True)
class Bounds:
    """What a search is limited to: the caller's collections, and of these what is asked for (None is everything).

    `documents` are keys, of which one has to be the passage's; so it is with `tags`. `since` and `until` are days
    (ISO 8601), both included: a document without a date is of no time.
    """

    collections: Sequence[str]
    documents: Sequence[str] | None = None
    tags: Sequence[str] | None = None
    since: str | None = None
    until: str | None = None


class PassageIndex(Protocol):
    """Where passages are kept; every search stays within bounds."""

    def search(self, text: str, vector: Sequence[float], size: int, bounds: Bounds) -> Candidates:
        """The best passages by full text and by vector, at most `size` of each."""

    def fetch(self, passage_ids: Sequence[str], bounds: Bounds) -> list[Passage]:
        """The passages with these ids; ids that are gone, or of elsewhere, are left out."""


@dataclass(frozen=True)
class Entry:
    """A passage to write, its vector of length 1, and its place in the document."""

    passage: Passage
    vector: Sequence[float]
    position: int = 0


@dataclass
class Added:
    """What became of each passage that was to be written, by passage id.

    `ids` are the service's own, by which a document is deleted. `failed` were not written: the name of an error
    says why. `unknown` got no reply and may be written: ask `service_ids` later, before they are added again.
    """

    ids: dict[str, str] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    unknown: set[str] = field(default_factory=set)


class PassageWriter(Protocol):
    """What ingestion needs of the index: it gives its own ids, and a write can be searched after some time."""

    def add(self, entries: Sequence[Entry]) -> Added:
        """Write passages, each once."""

    def delete(self, ids: Iterable[str]) -> None:
        """Delete by the index's own ids; one that is gone already is no error."""

    def service_ids(self, passage_ids: Sequence[str], collections: Sequence[str]) -> dict[str, list[str]]:
        """The index's own ids of these passages, as far as they can be searched yet."""


def configured_writer() -> PassageWriter:
    """The index that `SELFRAG_PASSAGE_INDEX` names, to write to."""
    writer: PassageWriter = _configured()
    return writer


def configured_index() -> PassageIndex:
    """The index that `SELFRAG_PASSAGE_INDEX` names; raises Misconfigured when it names none."""
    index: PassageIndex = _configured()
    return index


def _configured() -> Any:
    factory = settings().passage_index
    if factory is None:
        raise Misconfigured("SELFRAG_PASSAGE_INDEX must name a factory of a passage index")
    return factory()


def embedded_text(title: str, text: str) -> str:
    """What is embedded of a passage, and searched by full text: a slice says little without the headings above it."""
    return f"{title}\n{text}" if title else text


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
