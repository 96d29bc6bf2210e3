"""The manifest: what is known of each document, and which passages of it the index holds."""

from typing import Protocol

from selfrag.domain.records import Part, Record


class Manifest(Protocol):
    """Records of documents and of their batches of passages; raises selfrag's typed errors."""

    def read(self, document_id: str) -> Record | None:
        """What is known of a document, or None."""

    def listed(
        self, collection: str, limit: int, after: tuple[str, str] | None = None
    ) -> tuple[list[Record], tuple[str, str] | None]:
        """Documents of a collection by key, and after which (key, id) the next page begins, None if this is the last.

        `limit` counts removed documents too, which are left out.
        """

    def claim(self, document_id: str, key: str, collection: str, owner: str) -> bool:
        """Take a document for one execution; false if another has it, which is then told to look again."""

    def begin_deletion(self, document_id: str, at: int) -> None:
        """Write that a document is about to be deleted, `at` nanoseconds since the epoch; `release` tells of its end.

        What is claimed from now on has seen it.
        """

    def undo_deletion(self, document_id: str, at: int) -> None:
        """Take back what `begin_deletion` wrote, unless another deletion has begun since."""

    def release(self, record: Record, owner: str) -> bool:
        """Write what is known now and let the document go; false if it has to be looked at again, and is kept."""

    def parts(self, document_id: str) -> list[Part]:
        """Every batch of passages of a document that the index may hold."""

    def part(self, document_id: str, generation: str, number: int) -> Part | None:
        """One batch of passages, or None."""

    def put(self, part: Part) -> None:
        """Write a batch as it is known now."""

    def forget(self, part: Part) -> None:
        """Remove a batch whose passages are gone from the index."""
