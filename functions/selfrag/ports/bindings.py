"""Bindings of callers to collections."""

from typing import Protocol


class Bindings(Protocol):
    """An operator's bindings of callers to collections."""

    def of(self, caller: str) -> tuple[str, ...] | None:
        """Return the present collections of a caller; None for a caller without a binding."""
