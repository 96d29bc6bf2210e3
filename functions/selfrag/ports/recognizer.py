"""Text recognition: the text of pictures of pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class RecognizedPage:
    """The text of a page, line by line; `page` is counted from 1, `confidence` from 0 to 100."""

    page: int
    text: str
    confidence: float


class Recognizer(Protocol):
    """Text recognition of pages that are kept under a hash of their content, with its results.

    Raises BadDocument for pages that it cannot read, and selfrag's other typed errors.
    """

    def keep(self, name: str, pages: bytes) -> None:
        """Store a PDF of the pages to recognise."""

    def begin(self, name: str) -> str:
        """Start the recognition of a stored PDF, and return its job; a known or running one is not repeated."""

    def outcome(self, name: str, job: str) -> Sequence[RecognizedPage] | None:
        """Return the pages' texts in order; None while the job runs or parts of it are unread."""
