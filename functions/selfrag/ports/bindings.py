"""Which callers are bound to which collections."""

from typing import Protocol


class Bindings(Protocol):
    """What an operator has bound callers to."""

    def of(self, caller: str) -> tuple[str, ...] | None:
        """The collections that a caller is bound to, as they are now; None for one who is bound to none."""
