"""Text recognition: what reads the text off pictures of pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Recognized:
    """What a page shows, line by line; `page` is counted from 1, `confidence` from 0 to 100."""

    page: int
    text: str
    confidence: float


class Recognizer(Protocol):
    """Recognises pages that are kept under a name of their content, and remembers what it read under that name.

    Raises BadDocument for pages that it cannot read, and selfrag's other typed errors.
    """

    def keep(self, name: str, pages: bytes) -> None:
        """Keep a PDF of the pages that are to be recognised."""

    def begin(self, name: str) -> str:
        """Begin with what is kept under a name, and say what to ask by; what was begun before is not begun again."""

    def outcome(self, name: str, job: str) -> Sequence[Recognized] | None:
        """What the pages say, in their order; None while it is at work."""
