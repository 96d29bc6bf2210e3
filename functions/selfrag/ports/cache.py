"""The verdict cache: it keeps verdicts, queries and drafts alike."""

from typing import Protocol


class VerdictCache(Protocol):
    """The store of replies; raises selfrag's typed errors, which never fail a step."""

    def get(self, key: str) -> str | None:
        """Return the reply's JSON text, or None."""

    def put(self, key: str, verdict: str) -> None:
        """Store a reply's JSON text."""
