"""Passages in memory, with exact search by vector and by full text."""

from collections.abc import Sequence

import bm25s
import numpy as np
from numpy.typing import NDArray

from cli.local.index.store import embedded_text
from cli.local.index.tokens import tokens
from selfrag.domain.errors import Misconfigured
from selfrag.domain.passages import Passage

Scored = list[tuple[Passage, float]]
Scores = NDArray[np.float32]


class Corpus:
    """Passages that are searched together: word statistics are those of all of them.

    `vectors` are float32, of length 1, one for each passage. Equal scores keep the order of the passages.
    """

    def __init__(self, passages: Sequence[Passage], vectors: Sequence[bytes]) -> None:
        self._passages = passages
        if len(set(map(len, vectors))) > 1:
            raise Misconfigured("The index holds vectors of several embedders; ingest the directories again.")
        self._vectors = np.array([np.frombuffer(vector, dtype=np.float32) for vector in vectors])
        self._vocabulary: dict[str, int] = {}
        texts = (tokens(embedded_text(passage.title, passage.text)) for passage in passages)
        ids = [[self._vocabulary.setdefault(token, len(self._vocabulary)) for token in text] for text in texts]
        # The parameters that Anserini found best for short passages; they are also better here, on XQuAD.
        self._bm25 = bm25s.BM25(k1=0.9, b=0.4, backend="numpy")
        if self._vocabulary:
            self._bm25.index((ids, self._vocabulary), create_empty_token=False, show_progress=False)

    def by_vector(self, vector: Sequence[float], size: int) -> Scored:
        """The passages nearest to a vector of length 1, best first, with their cosine."""
        if not self._passages:
            return []
        if len(vector) != self._vectors.shape[1]:
            raise Misconfigured("The index holds vectors of another embedder; ingest the directory again.")
        return self._best(self._vectors @ np.asarray(vector, dtype=np.float32), size)

    def by_text(self, text: str, size: int) -> Scored:
        """The passages that share tokens with a text, best first, with their BM25 score."""
        ids = [self._vocabulary[token] for token in tokens(text) if token in self._vocabulary]
        if not ids:
            return []
        return [
            (passage, score) for passage, score in self._best(self._bm25.get_scores_from_ids(ids), size) if score > 0
        ]

    def _best(self, scores: Scores, size: int) -> Scored:
        best = np.argsort(-scores, kind="stable")[:size]
        return [(self._passages[i], float(scores[i])) for i in best]
