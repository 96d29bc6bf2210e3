"""The laptop's passage index: PassageIndex and PassageWriter over SQLite."""

import json
import math
import sqlite3
import threading
import time
import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from selfrag.domain.errors import Misconfigured
from selfrag.domain.passages import Bounds, Candidates, Passage
from selfrag.ports.index import Index, IndexEntry, WriteOutcome
from selfrag.text.search_tokens import tokens
from selfrag_cli.local.home import open_transaction
from selfrag_cli.local.index.collection_vectors import CollectionVectors
from selfrag_cli.local.index.store import DIGIT, Numbers, columns, put

# A filter names a document by citation or full key, and a folder likewise with a final slash. Undated documents match
# no period.
_WITHIN = """collection IN (SELECT value FROM json_each(:collections))
AND (:documents IS NULL OR document IN (SELECT value FROM json_each(:documents))
    OR collection || '/' || document IN (SELECT value FROM json_each(:documents))
    OR EXISTS (SELECT 1 FROM json_each(:documents) WHERE value LIKE '%/'
        AND value IN (substr(document, 1, length(value)), substr(collection || '/' || document, 1, length(value)))))
AND (:since IS NULL OR date >= :since) AND (:until IS NULL OR date <= :until)
AND (:tags IS NULL OR tags IN (
    SELECT lists.tags FROM (SELECT DISTINCT tags FROM passages) AS lists, json_each(lists.tags) AS tag
    WHERE tag.value IN (SELECT value FROM json_each(:tags))))
"""
_NUMBERS = f"""
SELECT json_group_array(number) FROM passages
WHERE passage_id NOT IN (SELECT value FROM json_each(:without)) AND {_WITHIN}
"""  # noqa: S608 (no input in it)
_FETCH = f"""
SELECT passage_id, passage FROM passages JOIN texts ON texts.rowid = number
WHERE passage_id IN (SELECT value FROM json_each(:passage_ids)) AND {_WITHIN}
"""  # noqa: S608 (no input in it)


def filter_allowed(connection: sqlite3.Connection, numbers: Numbers, bounds: Bounds) -> NDArray[np.bool_]:
    """Return whether each passage of the bounds' collections passes the other filters."""
    if bounds == Bounds(bounds.collections):
        return np.ones(len(numbers), np.bool_)
    (eligible,) = columns(connection, _NUMBERS, {**_values(bounds), "without": json.dumps(list(bounds.without))})
    return np.isin(numbers, eligible, assume_unique=True)


def _values(bounds: Bounds) -> dict[str, str | None]:
    lists = {name: getattr(bounds, name) for name in ("collections", "documents", "tags")}
    return {
        **{name: None if items is None else json.dumps(list(items)) for name, items in lists.items()},
        "since": bounds.since,
        "until": bounds.until,
    }


Scores = NDArray[np.float32]

# Anserini's optimum for short passages; also better here, on XQuAD.
K1, B = 0.9, 0.4
_CONTAINING = "SELECT json_group_array(rowid) FROM texts WHERE texts MATCH ?"


def bm25(connection: sqlite3.Connection, words: Sequence[str], numbers: Numbers, lengths: Numbers) -> Scores:
    """Return each passage's BM25 score for the query tokens, with Lucene's formula.

    Statistics cover the given passages by number and length (in tokens). A passage without a query token scores 0.
    FTS5's own `bm25()` counts all collections and uses other constants.
    """
    scores = np.zeros(len(numbers), np.float32)
    norms = K1 * ((1 - B) + B * lengths / lengths.mean())
    postings = {word: _postings(connection, word, numbers, int(lengths.max())) for word in set(words)}
    for word in words:
        where, counts = postings[word]
        if len(where):
            rarity = math.log(1 + (len(numbers) - len(where) + 0.5) / (len(where) + 0.5))
            share = counts / (norms[where] + counts)
            # In the precision of scores, since words are added one by one.
            scores[where] += (np.float32(rarity) * share).astype(np.float32)
    return scores


def _postings(
    connection: sqlite3.Connection, word: str, numbers: Numbers, max_count: int
) -> tuple[Numbers, NDArray[np.int32]]:
    """Return the positions of the passages with a word, and its counts."""
    by_number = np.zeros(numbers.max() + 1, np.int32)
    for digit in range(max_count.bit_length()):
        (matches,) = columns(connection, _CONTAINING, (f'"{word}{DIGIT * digit}"',))
        # The table also has words of other collections.
        by_number[matches[matches < len(by_number)]] += 1 << digit
    counts = by_number[numbers]
    where = np.flatnonzero(counts)
    return where, counts[where]


def cosines(held: Sequence[CollectionVectors], vector: Sequence[float]) -> Scores:
    """Return each passage's cosine with a unit vector, minus infinity without a vector.

    Raises Misconfigured if the vectors differ in length.
    """
    lengths = {some.vectors.shape[1] for some in held if len(some.embedded)}
    if len(lengths) > 1:
        raise Misconfigured("The index holds vectors of several embedders; ingest the directories again.")
    if lengths and lengths != {len(vector)}:
        raise Misconfigured("The index holds vectors of another embedder; ingest the directory again.")
    query = np.asarray(vector, np.float32)
    return np.concatenate([some.cosines(query) for some in held])


def best(scores: Scores, eligible: NDArray[np.bool_], size: int) -> Numbers:
    """Return the positions of the `size` best eligible scores in no order, with ties for the last place."""
    among: Numbers = np.flatnonzero(eligible)
    if len(among) <= size:
        return among
    least = np.partition(scores[among], -size)[-size]
    last: Numbers = among[scores[among] >= least]
    return last


_BY_PASSAGE_ID = "SELECT number FROM passages WHERE number IN (SELECT value FROM json_each(?)) ORDER BY passage_id"
_SHOWN = "SELECT rowid, passage FROM texts WHERE rowid IN (SELECT value FROM json_each(?))"
_OWN_IDS = """
SELECT passage_id, id FROM passages
WHERE collection IN (SELECT value FROM json_each(?)) AND passage_id IN (SELECT value FROM json_each(?))
"""
_DELETE = "DELETE FROM passages WHERE id IN (SELECT value FROM json_each(?))"

# Passages without a vector, with their length in letters.
_UNEMBEDDED = """
SELECT number, document, length(texts.passage) FROM passages JOIN texts ON texts.rowid = number
WHERE collection = ? AND NOT EXISTS (SELECT 1 FROM vectors WHERE vectors.number = passages.number)
"""
# Skips passages that were deleted in the meantime.
_ADD_VECTOR = "INSERT OR IGNORE INTO vectors SELECT number, ? FROM passages WHERE number = ?"

_NOTE_BACKFILL = """
INSERT INTO backfills VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET
completed = max(completed, excluded.completed), at = excluded.at, seconds_left = excluded.seconds_left
"""
_BACKFILLS = """
SELECT coalesce(sum(completed), 0), min(at), sum(seconds_left) FROM backfills
WHERE collection IN (SELECT value FROM json_each(?))
"""
# A backfill that made no progress for this long has ended.
_STALE_SECONDS = 120.0

# Passage numbers with scores, best first.
Ranked = list[tuple[int, float]]


class Unembedded(NamedTuple):
    """A passage without a vector: number, document, and size in letters."""

    number: int
    document: str
    letters: int


class EmbeddedIndex(Index):
    """Exact passage search; vectors stay in memory after the first search and are updated.

    Documents are named by their key without the collection, which is just a directory here.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._lock = threading.Lock()
        self._held: dict[str, CollectionVectors] = {}
        self._requested: dict[int, str] = {}

    @override
    def search(self, text: str, vector: Sequence[float] | None, size: int, bounds: Bounds) -> Candidates:
        """Return up to `size` of the best passages by BM25 and by cosine; a BM25 score of zero is no match.

        Without a query vector, and until all passages have been embedded once, only BM25 is used. Statistics cover the
        collections regardless of other filters. Passages without vectors are found by BM25 and then listed in
        `requested` if the query had a vector.
        """
        with self._lock, open_transaction(self._connection, "DEFERRED"):
            held = self._refresh_vectors(bounds.collections)
            if not held:
                return Candidates([], [], text_hits=0)
            numbers = np.concatenate([each.numbers for each in held])
            lengths = np.concatenate([each.lengths for each in held])
            within = filter_allowed(self._connection, numbers, bounds)
            scores = bm25(self._connection, tokens(text), numbers, lengths)
            matches = within & (scores > 0)
            by_text = self._rank(numbers, scores, best(scores, matches, size), size)
            by_vector: Ranked = []
            uses_vectors, waiting = self._embedding_state(held, bounds.collections)
            if vector is not None and uses_vectors:
                scores = cosines(held, vector)
                by_vector = self._rank(numbers, scores, best(scores, within & np.isfinite(scores), size), size)
            shown = self._load_shown(number for number, _ in [*by_text, *by_vector])
            hits = [[(shown[number], score) for number, score in ranked] for ranked in (by_text, by_vector)]
            unembedded = _find_unembedded(held, by_text) if waiting else set()
            if vector is not None:  # a user's question, not a text-only trial
                self._requested |= {number: shown[number].document for number in unembedded}
            return Candidates(
                by_text=hits[0],
                by_vector=hits[1],
                text_full=len(hits[0]) == size,
                vector_full=len(hits[1]) == size,
                text_hits=int(matches.sum()),
                unembedded=frozenset(shown[number].passage_id for number in unembedded),
                warnings=[waiting] if waiting else [],
            )

    @override
    def fetch(self, passage_ids: Sequence[str], bounds: Bounds) -> list[Passage]:
        values = {"passage_ids": json.dumps(list(passage_ids)), **_values(bounds)}
        with self._lock:
            passages = dict(self._connection.execute(_FETCH, values).fetchall())
        return [_read(passages[passage_id]) for passage_id in passage_ids if passage_id in passages]

    def find_unembedded(self, collection: str) -> list[Unembedded]:
        """Return a collection's passages without a vector."""
        with self._lock:
            return [Unembedded(*row) for row in self._connection.execute(_UNEMBEDDED, (collection,))]

    @property
    def pending_requests(self) -> dict[int, str]:
        """Return the passages that questions found without a vector: document by number."""
        return dict(self._requested)

    def get_passages(self, numbers: Sequence[int]) -> dict[int, Passage]:
        """Return the existing passages of these numbers in order."""
        with self._lock:
            passages = self._load_shown(numbers)
        return {number: passages[number] for number in numbers if number in passages}

    def add_vectors(self, vectors: Mapping[int, Sequence[float]]) -> None:
        """Write passage vectors by number."""
        rows = [(np.asarray(vector, np.float32).tobytes(), number) for number, vector in vectors.items()]
        with self._lock, open_transaction(self._connection):
            self._connection.executemany(_ADD_VECTOR, rows)

    def note_backfill(self, collection: str, seconds_left: float) -> None:
        """Record the remaining seconds of the backfill, 0 if done."""
        with self._lock, open_transaction(self._connection):
            self._connection.execute(_NOTE_BACKFILL, (collection, not seconds_left, time.time(), seconds_left))

    def _embedding_state(self, held: Sequence[CollectionVectors], collections: Sequence[str]) -> tuple[bool, str]:
        """Return whether vectors are used for ranking, and a sentence while some are missing."""
        embedded, passages = sum(len(each.embedded) for each in held), sum(len(each.numbers) for each in held)
        if embedded == passages:
            return True, ""
        completed, at, left = self._connection.execute(_BACKFILLS, (json.dumps(list(collections)),)).fetchone()
        minutes = math.ceil(left / 60) if left and time.time() - at < _STALE_SECONDS else 0
        again = f"in about {minutes} minute{'s' if minutes > 1 else ''}" if minutes else "later"
        share = f"{100 * embedded // passages}% of the passages are read for their meaning so far; ask again {again}."
        return completed >= len(held), share if completed >= len(held) else f"Found by words alone: {share}"

    @override
    def add(self, entries: Sequence[IndexEntry]) -> WriteOutcome:
        """Write passages, once each, searchable immediately."""
        ids = {entry.passage.passage_id: uuid.uuid4().hex for entry in entries}
        with self._lock, open_transaction(self._connection):
            for entry in entries:
                passage, vector = _named(entry.passage), np.asarray(entry.vector, np.float32).tobytes()
                put(self._connection, ids[passage.passage_id], passage, vector)
        return WriteOutcome(ids=ids)

    @override
    def delete(self, ids: Iterable[str]) -> None:
        with self._lock, open_transaction(self._connection):
            self._connection.execute(_DELETE, (json.dumps(list(ids)),))

    @override
    def service_ids(self, passage_ids: Sequence[str], collections: Sequence[str]) -> dict[str, list[str]]:
        with self._lock:
            rows = self._connection.execute(_OWN_IDS, (json.dumps(list(collections)), json.dumps(list(passage_ids))))
            return {passage_id: [own_id] for passage_id, own_id in rows}

    def _refresh_vectors(self, collections: Sequence[str]) -> list[CollectionVectors]:
        """Return the up-to-date vectors of each non-empty collection."""
        held = {name: self._held.get(name, CollectionVectors()) for name in sorted(set(collections))}
        for name, each in held.items():
            each.refresh(self._connection, name)
            self._held[name] = each
        return [each for each in held.values() if len(each.numbers)]

    def _rank(self, numbers: Numbers, scores: Scores, where: Numbers, size: int) -> Ranked:
        """Rank the passages at `where`; ties go to the lower passage id."""
        score_of = dict(zip(numbers[where].tolist(), scores[where].tolist(), strict=True))
        in_order = self._connection.execute(_BY_PASSAGE_ID, (json.dumps(list(score_of)),))
        return sorted(((number, score_of[number]) for (number,) in in_order), key=lambda hit: -hit[1])[:size]

    def _load_shown(self, numbers: Iterable[int]) -> dict[int, Passage]:
        rows = self._connection.execute(_SHOWN, (json.dumps(list(numbers)),))
        return {number: _read(passage) for number, passage in rows}


def _find_unembedded(held: Sequence[CollectionVectors], ranked: Ranked) -> set[int]:
    hits = np.array([number for number, _ in ranked], np.int64)
    return set(np.setdiff1d(hits, np.concatenate([each.embedded for each in held])).tolist())


def _named(passage: Passage) -> Passage:
    return passage.model_copy(update={"document": passage.document.removeprefix(f"{passage.collection}/")})


def _read(passage: str) -> Passage:
    """Parse a stored passage."""
    return Passage.model_validate_json(passage, extra="ignore")
