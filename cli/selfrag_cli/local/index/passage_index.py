"""The index of passages on the laptop: a PassageIndex and a PassageWriter over the SQLite file."""

import json
import sqlite3
import threading
import uuid
from collections.abc import Iterable, Sequence

import numpy as np

from selfrag.domain.passages import Bounds, Candidates, Passage
from selfrag.ports.index import Added, Entry
from selfrag_cli.local.home import writing
from selfrag_cli.local.index.collection_vectors import CollectionVectors
from selfrag_cli.local.index.filters import allowed, fetch_allowed
from selfrag_cli.local.index.ranking import Scores, best, bm25, cosines
from selfrag_cli.local.index.store import Numbers, put, reading
from selfrag_cli.local.index.tokens import tokens

_BY_PASSAGE_ID = "SELECT number FROM passages WHERE number IN (SELECT value FROM json_each(?)) ORDER BY passage_id"
_SHOWN = "SELECT rowid, passage FROM texts WHERE rowid IN (SELECT value FROM json_each(?))"
_ALL = "SELECT passage FROM passages JOIN texts ON texts.rowid = number WHERE collection = ? ORDER BY passage_id"
_OWN_IDS = """
SELECT passage_id, id FROM passages
WHERE collection IN (SELECT value FROM json_each(?)) AND passage_id IN (SELECT value FROM json_each(?))
"""
_DELETE = "DELETE FROM passages WHERE id IN (SELECT value FROM json_each(?))"

# Numbers of passages with their scores, best first.
Ranked = list[tuple[int, float]]


class EmbeddedIndex:
    """An exact search of passages; vectors stay in memory from the first search on, and changes are added to them.

    A document is named by its key without the collection: that is a directory here and tells a reader nothing.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._lock = threading.Lock()
        self._held: dict[str, CollectionVectors] = {}

    def search(self, text: str, vector: Sequence[float] | None, size: int, bounds: Bounds) -> Candidates:
        """Return the best passages by BM25 and by cosine, at most `size` of each; a BM25 score of zero is no match.

        Without a vector by BM25 alone. Word statistics are those of the collections, whatever the other filters are.
        """
        with self._lock, reading(self._connection):
            held = self._refreshed(bounds.collections)
            if not held:
                return Candidates([], [], text_hits=0)
            numbers = np.concatenate([each.numbers for each in held])
            lengths = np.concatenate([each.lengths for each in held])
            within = allowed(self._connection, numbers, bounds)
            scores = bm25(self._connection, tokens(text), numbers, lengths)
            matches = within & (scores > 0)
            by_text = self._ranked(numbers, scores, best(scores, matches, size), size)
            by_vector: Ranked = []
            if vector is not None:
                scores = cosines([each.vectors for each in held], vector)
                by_vector = self._ranked(numbers, scores, best(scores, within, size), size)
            hits = self._shown(by_text, by_vector)
            return Candidates(hits[0], hits[1], len(hits[0]) == size, len(hits[1]) == size, int(matches.sum()))

    def fetch(self, passage_ids: Sequence[str], bounds: Bounds) -> list[Passage]:
        """Return the passages with these ids, in their order, without those that are gone or outside the bounds."""
        with self._lock:
            found = fetch_allowed(self._connection, passage_ids, bounds)
        return [_read(found[passage_id]) for passage_id in passage_ids if passage_id in found]

    def all_of(self, collection: str) -> list[Passage]:
        """Return every passage of a collection, by passage id."""
        with self._lock:
            return [_read(passage) for (passage,) in self._connection.execute(_ALL, (collection,))]

    def add(self, entries: Sequence[Entry]) -> Added:
        """Write passages, each once; they can be searched at once."""
        ids = {entry.passage.passage_id: uuid.uuid4().hex for entry in entries}
        with self._lock, writing(self._connection):
            for entry in entries:
                passage, vector = _named(entry.passage), np.asarray(entry.vector, np.float32).tobytes()
                put(self._connection, ids[passage.passage_id], passage, vector)
        return Added(ids=ids)

    def delete(self, ids: Iterable[str]) -> None:
        """Delete by the index's own ids; one that is gone already is no error."""
        with self._lock, writing(self._connection):
            self._connection.execute(_DELETE, (json.dumps(list(ids)),))

    def service_ids(self, passage_ids: Sequence[str], collections: Sequence[str]) -> dict[str, list[str]]:
        """Return the index's own ids of these passages."""
        with self._lock:
            found = self._connection.execute(_OWN_IDS, (json.dumps(list(collections)), json.dumps(list(passage_ids))))
            return {passage_id: [own_id] for passage_id, own_id in found}

    def _refreshed(self, collections: Sequence[str]) -> list[CollectionVectors]:
        """Return the vectors of each of these collections that has any, up to date."""
        held = {name: self._held.get(name, CollectionVectors()) for name in sorted(set(collections))}
        for name, each in held.items():
            each.refresh(self._connection, name)
            self._held[name] = each
        return [each for each in held.values() if len(each.numbers)]

    def _ranked(self, numbers: Numbers, scores: Scores, where: Numbers, size: int) -> Ranked:
        """Rank the passages at `where`; of equal ones the lower passage id comes first."""
        found = dict(zip(numbers[where].tolist(), scores[where].tolist(), strict=True))
        in_order = self._connection.execute(_BY_PASSAGE_ID, (json.dumps(list(found)),))
        return sorted(((number, found[number]) for (number,) in in_order), key=lambda one: -one[1])[:size]

    def _shown(self, *rankings: Ranked) -> list[list[tuple[Passage, float]]]:
        wanted = {number for ranked in rankings for number, _ in ranked}
        rows = self._connection.execute(_SHOWN, (json.dumps(list(wanted)),))
        passages = {number: _read(passage) for number, passage in rows}
        return [[(passages[number], score) for number, score in ranked] for ranked in rankings]


def _named(passage: Passage) -> Passage:
    return passage.model_copy(update={"document": passage.document.removeprefix(f"{passage.collection}/")})


def _read(passage: str) -> Passage:
    """Read a passage as it is stored."""
    return Passage.model_validate_json(passage, extra="ignore")
