"""Embeddings: vectors of texts."""

from collections.abc import Iterable, Sequence
from typing import Protocol


class Embedder(Protocol):
    """Embeddings as vectors of one size, scaled to length 1."""

    @property
    def spread_floor(self) -> float:
        """Return the least standard deviation of cosines that tells passages apart; 0 where it was not measured."""

    def query(self, text: str) -> list[float]:
        """Return the vector of a search query."""

    def passages(self, texts: Sequence[str]) -> Iterable[list[float]]:
        """Yield the vectors of the first passages as they come, in their order; those before an error are good.

        One that has only so much time may end before the last passage.
        """
