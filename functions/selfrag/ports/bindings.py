"""Bindings of callers to collections and actions."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, Protocol

# `upload` is every change of documents: to upload, replace and delete them.
Action = Literal["ask", "upload"]


@dataclass(frozen=True)
class Binding:
    """The collections of a caller, sorted, and the caller's actions in all of them.

    A request that names no collection means `collections`. With `all_collections` it may name any other listed one.
    """

    collections: tuple[str, ...]
    actions: frozenset[Action]
    all_collections: bool = False


class Bindings(Protocol):
    """An operator's bindings of callers to collections."""

    def get(self, caller: str) -> Binding | None:
        """Return the present binding of `key#ID` of an API key or `principal#ARN` of an IAM identity, or None."""

    def has_collections(self, collections: Collection[str]) -> bool:
        """Return whether all of these are collections of the deployment."""
