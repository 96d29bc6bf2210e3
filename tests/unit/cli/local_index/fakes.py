"""A fast embedder that remembers what it was asked to embed."""

import hashlib
import math
from collections.abc import Sequence

from cli.local.index.tokens import tokens


class FakeEmbedder:
    """Vectors of 16 dimensions: one for each of 16 classes that a text's tokens fall into."""

    def __init__(self, name: str = "fake") -> None:
        self.name = name
        self.embedded: list[str] = []

    def query(self, text: str) -> list[float]:
        vector = [1e-6] * 16
        for token in tokens(text):
            vector[hashlib.sha256(token.encode()).digest()[0] % 16] += 1
        length = math.hypot(*vector)
        return [value / length for value in vector]

    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        self.embedded += texts
        return [self.query(text) for text in texts]
