"""The index of passages: search and writes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from selfrag.domain.passages import Bounds, Candidates, Passage


class PassageIndex(Protocol):
    """The index that is searched; every search stays within bounds."""

    def search(self, text: str, vector: Sequence[float] | None, size: int, bounds: Bounds) -> Candidates:
        """Return the best passages by text and by vector, at most `size` of each; by text alone without one."""

    def fetch(self, passage_ids: Sequence[str], bounds: Bounds) -> list[Passage]:
        """Return the existing passages with these ids within bounds (`without` applies only to searches)."""


@dataclass(frozen=True)
class IndexEntry:
    """A passage to write, its vector of length 1, and its place in the document."""

    passage: Passage
    vector: Sequence[float]
    position: int = 0


@dataclass
class WriteOutcome:
    """The outcome of a write, by passage id.

    `ids` are the service's own, which deletions need. `failed` were not written, for the named error. `unknown` got no
    reply: call `service_ids` later, before adding them again.
    """

    ids: dict[str, str] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    unknown: set[str] = field(default_factory=set)


class PassageWriter(Protocol):
    """The index that ingestion writes to: it assigns its own ids, and a write can be searched after some time."""

    def add(self, entries: Sequence[IndexEntry]) -> WriteOutcome:
        """Write passages, each once."""

    def delete(self, ids: Iterable[str]) -> None:
        """Delete by the index's ids, ignoring missing ones."""

    def service_ids(self, passage_ids: Sequence[str], collections: Sequence[str]) -> dict[str, list[str]]:
        """Return the index's own ids of the passages that can be searched by now."""


class Index(PassageIndex, PassageWriter, Protocol):
    """An index to search and to write to."""
