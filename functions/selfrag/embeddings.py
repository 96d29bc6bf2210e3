"""Embeddings: what turns a text into a vector."""

from collections.abc import Sequence
from typing import Protocol

from selfrag.errors import Misconfigured
from selfrag.settings import settings


class Embedder(Protocol):
    """Turns texts into vectors of one length, scaled to length 1."""

    def query(self, text: str) -> list[float]:
        """The vector of a search query."""

    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        """The vectors of passages, in the same order."""


def configured_embedder() -> Embedder:
    """The embedder that `SELFRAG_EMBEDDER` names; raises Misconfigured when it names none."""
    factory = settings().embedder
    if factory is None:
        raise Misconfigured("SELFRAG_EMBEDDER must name a factory of an embedder")
    embedder: Embedder = factory()
    return embedder
