"""The single binding of the laptop, which has one user."""

from collections.abc import Collection
from typing import get_args

from typing_extensions import override

from selfrag.ports.bindings import Action, Binding, Bindings


class LocalBindings(Bindings):
    """Every caller may do everything in the one collection."""

    def __init__(self, collection: str) -> None:
        self._binding = Binding((collection,), frozenset(get_args(Action)))

    @override
    def get(self, caller: str) -> Binding:
        return self._binding

    @override
    def has_collections(self, collections: Collection[str]) -> bool:
        return set(collections) <= set(self._binding.collections)
