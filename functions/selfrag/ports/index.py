"""The index of passages: searching it, writing to it, and the best of what its two searches find."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Protocol

from selfrag.domain.passages import Bounds, Candidates, Passage
from selfrag.text.fusion import fuse

CANDIDATES = 50


class PassageIndex(Protocol):
    """Where passages are kept; every search stays within bounds."""

    def search(self, text: str, vector: Sequence[float] | None, size: int, bounds: Bounds) -> Candidates:
        """The best passages by full text and by vector, at most `size` of each; without a vector by full text alone."""

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


class Index(PassageIndex, PassageWriter, Protocol):
    """An index that can be searched and written to."""


def best(candidates: Candidates, top_k: int) -> list[Passage]:
    """The best passages of both searches, each with its fused score."""
    found = (candidates.by_text, candidates.by_vector)
    passages = {passage.passage_id: passage for search in found for passage, _ in search}
    fused = fuse(*({passage.passage_id: score for passage, score in search} for search in found))
    return [
        passages[passage_id].model_copy(update={"score": round(score, 4)})
        for passage_id, score in islice(fused.items(), top_k)
    ]
