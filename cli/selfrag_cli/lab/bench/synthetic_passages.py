"""Passages and questions that are made up, the same ones for the same seed.

A passage has 110 words by a Zipf distribution and a random vector; ten make a document, and every tenth document has
the tag RARE_TAG.
"""

import numpy as np

from selfrag.domain.passages import Passage
from selfrag.ports.index import Entry

COLLECTION = "benchmark"
RARE_TAG = "tenth"

_DIMENSIONS = 384
_WORDS = 110
_VOCABULARY = 20_000
# Without the most frequent words, which are stop words: the first one is in a fifth of the passages.
_FIRST_RANK = 100


class MadeUp:
    """Makes passages and questions."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)
        weights = 1 / (_FIRST_RANK + np.arange(_VOCABULARY))
        self._upto = np.cumsum(weights / weights.sum())
        letters = np.random.default_rng(0).choice(list("abcdefghijklmnopqrstuvwxyz"), (_VOCABULARY, 7))
        self._words = ["".join(word) for word in letters]

    def text(self, words: int) -> str:
        """Return so many words."""
        chosen = np.searchsorted(self._upto, self._random.random(words)).clip(max=_VOCABULARY - 1)
        return " ".join(self._words[word] for word in chosen)

    def vector(self) -> list[float]:
        """Return a vector of length 1."""
        vector = self._random.standard_normal(_DIMENSIONS).astype(np.float32)
        return [float(value) for value in vector / np.linalg.norm(vector)]

    def entry(self, number: int) -> Entry:
        """Return the passage with this number."""
        document = number // 10
        passage = Passage(
            passage_id=f"{number:064}",
            document=f"{COLLECTION}/document-{document}.md",
            text=self.text(_WORDS),
            title=f"Document {document}",
            collection=COLLECTION,
            tags=["all", RARE_TAG] if document % 10 == 0 else ["all"],
            date=f"20{document % 25:02}-01-01",
        )
        return Entry(passage, self.vector(), number % 10)
