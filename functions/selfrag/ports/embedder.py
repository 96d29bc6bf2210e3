"""Embeddings: what turns a text into a vector."""

from collections.abc import Iterable, Sequence
from typing import Protocol


class Embedder(Protocol):
    """Turns texts into vectors of one length, scaled to length 1."""

    def query(self, text: str) -> list[float]:
        """The vector of a search query."""

    def passages(self, texts: Sequence[str]) -> Iterable[list[float]]:
        """Each passage's vector as it comes, in the same order; what came before an error is good."""
