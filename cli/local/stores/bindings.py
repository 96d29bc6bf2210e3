"""Bindings of callers on the laptop, where one person asks."""

from collections.abc import Mapping


class LocalBindings:
    """The collections that callers are bound to, by their keys; by default no caller is bound."""

    def __init__(self, bound: Mapping[str, tuple[str, ...]] | None = None) -> None:
        self._bound = bound or {}

    def of(self, caller: str) -> tuple[str, ...] | None:
        """Return the collections that a caller is bound to; None for one who is bound to none."""
        return self._bound.get(caller)
