"""The binding of all callers on the laptop, where one person asks."""

from typing import get_args

from selfrag.ports.bindings import Action, Binding


class LocalBindings:
    """Every caller has one collection, and every action in it."""

    def __init__(self, collection: str) -> None:
        self._binding = Binding((collection,), frozenset(get_args(Action)))

    def of(self, caller: str) -> Binding:
        """Return the binding of all callers."""
        return self._binding
