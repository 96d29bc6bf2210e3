"""The manifest's records of documents."""

from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from selfrag.domain.base import Model

DocumentStatus = Literal["ready", "failed", "removed", "working"]


class Content(Model):
    """The content-dependent part of a document's record."""

    title: str = ""
    passages: int = 0
    suggestion: str | None = Field(default=None, description="A question that the document answers; null for none.")
    pages: int = Field(default=0, description="0 if the format has none.")
    warnings: list[str] = Field(default=[], description="A sentence for each part that could not be read.")
    tags: list[str] = Field(default=[], description="The tags that `filters.tags` of a question is compared with.")
    date: str | None = Field(
        default=None, description="The day that `since` and `until` are compared with, ISO 8601; null if it has none."
    )


class Record(Content):
    """The record of a document; `generation` is the indexed content's hash, or "".

    `deleted_at` is when the API last started a deletion (nanoseconds since the epoch, 0 for never), `deletion_seen` the
    `deleted_at` that the last bucket check covered.
    """

    id: str
    key: str = ""
    collection: str = ""
    status: DocumentStatus = "working"
    reason: str = ""
    version: str = ""
    generation: str = ""
    updated_at: int = 0
    deleted_at: int = 0
    deletion_seen: int = 0

    @property
    def is_removing(self) -> bool:
        """Return whether a deletion is in progress."""
        return self.deleted_at > self.deletion_seen


@dataclass(frozen=True)
class StoredPart:
    """A batch of passages: their ids, and the index's id of each confirmed write.

    `writing_since` is set (seconds since the epoch) while the outcome of a write is unknown.
    """

    document_id: str
    generation: str
    number: int
    passage_ids: list[str]
    ids: dict[str, str]
    writing_since: float | None = None

    @property
    def name(self) -> str:
        """Return the part's sort key."""
        return part_name(self.generation, self.number)


def part_name(generation: str, number: int) -> str:
    """Return the sort key of a batch; keys sort by batch number."""
    return f"{generation}#{number:05}"
