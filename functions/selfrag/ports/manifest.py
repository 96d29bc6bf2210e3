"""The manifest: the state of each document, and its passages in the index."""

from typing import Protocol

from selfrag.domain.records import Record, StoredPart


class Manifest(Protocol):
    """Records of documents and of their batches of passages; raises selfrag's typed errors."""

    def read(self, document_id: str) -> Record | None:
        """Return the record of a document, or None."""

    def list_documents(
        self, collection: str, limit: int, after: tuple[str, str] | None = None
    ) -> tuple[list[Record], tuple[str, str] | None]:
        """Return a page of a collection's documents, by key, and the (key, id) it ends with, None if last.

        `limit` also counts removed documents, which are left out.
        """

    def claim(self, document_id: str, key: str, collection: str, owner: str) -> bool:
        """Claim a document for an execution; False if another holds it, which then checks again."""

    def begin_deletion(self, document_id: str, at: int) -> None:
        """Record that a document is about to be deleted, `at` nanoseconds since the epoch.

        Every later claim has seen the deletion; `release` records its end.
        """

    def undo_deletion(self, document_id: str, at: int) -> None:
        """Revert `begin_deletion`, unless another deletion has begun since."""

    def release(self, record: Record, owner: str) -> bool:
        """Write the record and release the document; False, keeping it, if it must be checked again."""

    def parts(self, document_id: str) -> list[StoredPart]:
        """Return every batch of a document that may be in the index."""

    def part(self, document_id: str, generation: str, number: int) -> StoredPart | None:
        """Return one batch of passages, or None."""

    def put(self, part: StoredPart) -> None:
        """Write a batch."""

    def forget(self, part: StoredPart) -> None:
        """Remove a batch after its passages were deleted from the index."""
