"""The index of passages on the laptop: a PassageIndex over the SQLite file."""

import json
import sqlite3
import sys
import threading
from collections.abc import Sequence

from cli.index.corpus import Corpus
from selfrag.models import Passage
from selfrag.passages import Candidates

_GENERATIONS = """
SELECT collection, generation FROM generations WHERE collection IN (SELECT value FROM json_each(?)) ORDER BY collection
"""
_LOAD = """
SELECT passage_id, document, text, title, collection, vector FROM passages JOIN embeddings ON key = embedding
WHERE collection IN (SELECT value FROM json_each(?)) ORDER BY passage_id
"""
_FETCH = """
SELECT passage_id, document, text, title, collection FROM passages
WHERE collection IN (SELECT value FROM json_each(?)) AND passage_id IN (SELECT value FROM json_each(?))
"""


class EmbeddedIndex:
    """Searches passages exactly, in memory; they are loaded when first wanted, and again after a change."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._lock = threading.Lock()
        self._loaded: dict[str, tuple[list[tuple[str, int]], Corpus]] = {}

    def search(
        self,
        text: str,
        vector: Sequence[float],
        size: int,
        collections: Sequence[str],
        documents: Sequence[str] | None = None,
    ) -> Candidates:
        """The best passages by BM25 and by cosine, at most `size` of each; a BM25 score of zero is none."""
        corpus = self._corpus(json.dumps(sorted(set(collections))))
        if documents is None:
            return Candidates(by_text=corpus.by_text(text, size), by_vector=corpus.by_vector(vector, size))
        ranked = (corpus.by_text(text, sys.maxsize), corpus.by_vector(vector, sys.maxsize))
        of_them = [[(p, score) for p, score in found if p.document in documents][:size] for found in ranked]
        return Candidates(by_text=of_them[0], by_vector=of_them[1])

    def fetch(
        self, passage_ids: Sequence[str], collections: Sequence[str], documents: Sequence[str] | None = None
    ) -> list[Passage]:
        """The passages with these ids, in their order; ids that are gone, or of elsewhere, are left out."""
        with self._lock:
            rows = self._connection.execute(_FETCH, (json.dumps(list(collections)), json.dumps(list(passage_ids))))
            found = {row[0]: _passage(*row) for row in rows}
        wanted = [found[passage_id] for passage_id in passage_ids if passage_id in found]
        return [passage for passage in wanted if documents is None or passage.document in documents]

    def _corpus(self, wanted: str) -> Corpus:
        with self._lock:
            # The numbers are read first: a change that comes in between is then loaded twice, never missed.
            generations = self._connection.execute(_GENERATIONS, (wanted,)).fetchall()
            if wanted not in self._loaded or self._loaded[wanted][0] != generations:
                rows = self._connection.execute(_LOAD, (wanted,)).fetchall()
                corpus = Corpus([_passage(*row[:-1]) for row in rows], [row[-1] for row in rows])
                self._loaded[wanted] = generations, corpus
            return self._loaded[wanted][1]


def _passage(passage_id: str, document: str, text: str, title: str, collection: str) -> Passage:
    return Passage(passage_id=passage_id, document=document, text=text, title=title, collection=collection)
