"""Embeddings: what turns a text into a vector."""

from collections.abc import Sequence
from typing import Protocol


class Embedder(Protocol):
    """Turns texts into vectors of one length, scaled to length 1."""

    def query(self, text: str) -> list[float]:
        """The vector of a search query."""

    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        """The vectors of passages, in the same order."""
