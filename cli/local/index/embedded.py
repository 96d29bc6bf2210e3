"""The index of passages on the laptop: a PassageIndex and a PassageWriter over the SQLite file."""

import json
import sqlite3
import sys
import threading
import uuid
from collections.abc import Iterable, Sequence

import numpy as np

from cli.local.home import writing
from cli.local.index.corpus import Corpus
from selfrag.domain.passages import Bounds, Candidates, Passage
from selfrag.ports.index import Added, Entry

_GENERATIONS = """
SELECT collection, generation FROM generations WHERE collection IN (SELECT value FROM json_each(?)) ORDER BY collection
"""
_LOAD = """
SELECT passage, vector FROM entries WHERE collection IN (SELECT value FROM json_each(?)) ORDER BY passage_id
"""
_NAMED = """
SELECT passage_id, id, passage FROM entries
WHERE collection IN (SELECT value FROM json_each(?)) AND passage_id IN (SELECT value FROM json_each(?))
"""
_ADD = "INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?, ?)"
_DELETE = "DELETE FROM entries WHERE id IN (SELECT value FROM json_each(?))"
_COLLECTIONS = "SELECT DISTINCT collection FROM entries WHERE id IN (SELECT value FROM json_each(?))"
_CHANGED = "INSERT INTO generations VALUES (?, 1) ON CONFLICT DO UPDATE SET generation = generation + 1"


class EmbeddedIndex:
    """Searches passages exactly, in memory; they are loaded when first wanted, and again after a change.

    A document is called by its key without the collection, which is a directory here and says nothing to a reader.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._lock = threading.Lock()
        self._loaded: dict[str, tuple[list[tuple[str, int]], Corpus]] = {}

    def search(self, text: str, vector: Sequence[float] | None, size: int, bounds: Bounds) -> Candidates:
        """The best passages by BM25 and by cosine, at most `size` of each; a BM25 score of zero is none.

        Without a vector by BM25 alone.
        """
        corpus = self._corpus(json.dumps(sorted(set(bounds.collections))))
        # What is limited further is ranked as a whole, and what is outside the bounds left out then.
        most = size if bounds == Bounds(bounds.collections) else sys.maxsize
        ranked = (corpus.by_text(text, most), [] if vector is None else corpus.by_vector(vector, most))
        within = [[(p, score) for p, score in found if _is_within(p, bounds)][:size] for found in ranked]
        return Candidates(by_text=within[0], by_vector=within[1])

    def fetch(self, passage_ids: Sequence[str], bounds: Bounds) -> list[Passage]:
        """The passages with these ids, in their order; ids that are gone, or of elsewhere, are left out."""
        found = {passage_id: passage for passage_id, _, passage in self._named(passage_ids, bounds.collections)}
        wanted = [Passage.model_validate_json(found[passage_id]) for passage_id in passage_ids if passage_id in found]
        return [passage for passage in wanted if _is_within(passage, bounds)]

    def add(self, entries: Sequence[Entry]) -> Added:
        """Write passages, each once; they can be searched at once."""
        ids = {entry.passage.passage_id: uuid.uuid4().hex for entry in entries}
        rows = [
            (ids[entry.passage.passage_id], entry.passage.passage_id, entry.passage.collection, *_stored(entry))
            for entry in entries
        ]
        with self._lock, writing(self._connection):
            self._connection.executemany(_ADD, rows)
            self._changed({entry.passage.collection for entry in entries})
        return Added(ids=ids)

    def delete(self, ids: Iterable[str]) -> None:
        """Delete by the index's own ids; one that is gone already is no error."""
        wanted = (json.dumps(list(ids)),)
        with self._lock, writing(self._connection):
            touched = self._connection.execute(_COLLECTIONS, wanted).fetchall()
            self._connection.execute(_DELETE, wanted)
            self._changed({collection for (collection,) in touched})

    def service_ids(self, passage_ids: Sequence[str], collections: Sequence[str]) -> dict[str, list[str]]:
        """The index's own ids of these passages."""
        return {passage_id: [own_id] for passage_id, own_id, _ in self._named(passage_ids, collections)}

    def _named(self, passage_ids: Sequence[str], collections: Sequence[str]) -> list[tuple[str, str, str]]:
        wanted = (json.dumps(list(collections)), json.dumps(list(passage_ids)))
        with self._lock:
            return self._connection.execute(_NAMED, wanted).fetchall()

    def _changed(self, collections: set[str]) -> None:
        self._connection.executemany(_CHANGED, [(collection,) for collection in sorted(collections)])

    def _corpus(self, wanted: str) -> Corpus:
        with self._lock:
            # The numbers are read first: a change that comes in between is then loaded twice, never missed.
            generations = self._connection.execute(_GENERATIONS, (wanted,)).fetchall()
            if wanted not in self._loaded or self._loaded[wanted][0] != generations:
                rows = self._connection.execute(_LOAD, (wanted,)).fetchall()
                corpus = Corpus([Passage.model_validate_json(row[0]) for row in rows], [row[1] for row in rows])
                self._loaded[wanted] = generations, corpus
            return self._loaded[wanted][1]


def _stored(entry: Entry) -> tuple[str, bytes]:
    passage = entry.passage
    named = passage.model_copy(update={"document": passage.document.removeprefix(f"{passage.collection}/")})
    return named.model_dump_json(exclude={"score"}), np.asarray(entry.vector, np.float32).tobytes()


def _is_within(passage: Passage, bounds: Bounds) -> bool:
    """Whether a passage is of what is asked for; documents are called as they are cited or by their whole keys."""
    names, day = {passage.document, f"{passage.collection}/{passage.document}"}, passage.date
    return (
        (bounds.documents is None or not names.isdisjoint(bounds.documents))
        and (bounds.tags is None or not set(passage.tags).isdisjoint(bounds.tags))
        and (bounds.since is None or (day is not None and day >= bounds.since))
        and (bounds.until is None or (day is not None and day <= bounds.until))
    )
