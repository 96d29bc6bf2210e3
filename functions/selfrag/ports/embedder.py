"""Embeddings: vectors of texts."""

from collections.abc import Iterable, Sequence
from typing import Protocol


class Embedder(Protocol):
    """Embeddings as vectors of one size, scaled to length 1."""

    @property
    def spread_floor(self) -> float:
        """Return the minimum standard deviation of cosines that carries information; 0 if not measured."""

    def query(self, text: str) -> list[float]:
        """Return the vector of a search query."""

    def passages(self, texts: Sequence[str]) -> Iterable[list[float]]:
        """Yield the vectors of passages in order; those before an error are valid.

        An embedder with limited time may stop early.
        """
