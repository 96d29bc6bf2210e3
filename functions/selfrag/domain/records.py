"""What the manifest says of documents."""

from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from selfrag.domain.base import Model

DocumentStatus = Literal["ready", "failed", "removed", "working"]


class Content(Model):
    """What is known of a document as long as its content stays the same."""

    title: str = ""
    passages: int = 0
    pages: int = Field(default=0, description="0 if the format has none.")
    warnings: list[str] = Field(default=[], description="A sentence for each thing that could not be read.")
    tags: list[str] = Field(default=[], description="What `filters.tags` of a question is compared with.")
    date: str | None = Field(
        default=None, description="What `since` and `until` are compared with, ISO 8601; null if it has none."
    )


class Record(Content):
    """What is known of a document; `generation` is the content that the index holds, "" for none.

    `deleted_at` is when the API last began to delete it (nanoseconds since the epoch, 0 for never), `deletion_seen`
    what that was when the bucket was last looked at for it.
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
    def removing(self) -> bool:
        """Whether a deletion has begun that is not through."""
        return self.deleted_at > self.deletion_seen


@dataclass(frozen=True)
class Part:
    """A batch of passages: their ids, and the index's own id of each that is known to be written.

    `writing_since` is set (seconds since the epoch) from before a write until its outcome is known.
    """

    document_id: str
    generation: str
    number: int
    passage_ids: list[str]
    ids: dict[str, str]
    writing_since: float | None = None

    @property
    def name(self) -> str:
        """The part's name in the table."""
        return part_name(self.generation, self.number)


def part_name(generation: str, number: int) -> str:
    """The name of a batch in the table, by which batches stand in their order."""
    return f"{generation}#{number:05}"
