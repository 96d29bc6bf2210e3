"""The tables of the index.

Passage numbers grow and are never reused, so numbers above the highest known one are new. Searched columns are stored
apart from displayed ones, which keeps searches fast. FTS5 holds selfrag's own tokens with their counts; its ranking is
not used (`bm25` says why).
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from selfrag.domain.passages import Passage
from selfrag.retrieval.passage_tokens import passage_tokens

Numbers = NDArray[np.int64]

# FTS5 lists a token's passages much faster than its occurrences, so counts are stored as binary digits: a passage has
# the token `word` with n of these signs if digit n of its count is 1. No word has the sign.
DIGIT = "×"

SCHEMA = """
CREATE TABLE IF NOT EXISTS embeddings (key TEXT PRIMARY KEY, vector BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS generations (collection TEXT PRIMARY KEY, generation INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS passages (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, passage_id TEXT NOT NULL UNIQUE,
    collection TEXT NOT NULL, document TEXT NOT NULL, date TEXT, tags TEXT NOT NULL, length INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS passages_bounds ON passages (collection, document, date, tags, length);
CREATE TABLE IF NOT EXISTS vectors (number INTEGER PRIMARY KEY, vector BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS backfills (
    collection TEXT PRIMARY KEY, completed INTEGER NOT NULL, at REAL NOT NULL, seconds_left REAL NOT NULL);
CREATE VIRTUAL TABLE IF NOT EXISTS texts USING fts5 (tokens, passage UNINDEXED, tokenize = 'ascii', detail = none);
CREATE TRIGGER IF NOT EXISTS passage_added AFTER INSERT ON passages BEGIN
    INSERT INTO generations VALUES (new.collection, 1) ON CONFLICT DO UPDATE SET generation = generation + 1;
END;
CREATE TRIGGER IF NOT EXISTS passage_removed AFTER DELETE ON passages BEGIN
    DELETE FROM vectors WHERE number = old.number;
    DELETE FROM texts WHERE rowid = old.number;
    INSERT INTO generations VALUES (old.collection, 1) ON CONFLICT DO UPDATE SET generation = generation + 1;
END;
CREATE TRIGGER IF NOT EXISTS vector_added AFTER INSERT ON vectors BEGIN
    UPDATE generations SET generation = generation + 1
    WHERE collection = (SELECT collection FROM passages WHERE number = new.number);
END;
"""

_ADD = "INSERT INTO passages (id, passage_id, collection, document, date, tags, length) VALUES (?, ?, ?, ?, ?, ?, ?)"


def put(connection: sqlite3.Connection, own_id: str, passage: Passage, vector: bytes) -> None:
    """Write a passage under the index's id, replacing the same passage id; in a transaction.

    An empty vector is added later.
    """
    words = passage_tokens(passage)
    connection.execute("DELETE FROM passages WHERE passage_id = ?", (passage.passage_id,))
    about = (passage.collection, passage.document, passage.date, json.dumps(passage.tags), len(words))
    number = connection.execute(_ADD, (own_id, passage.passage_id, *about)).lastrowid
    if vector:
        connection.execute("INSERT INTO vectors VALUES (?, ?)", (number, vector))
    counts, shown = _encode_counts(words), passage.model_dump_json(exclude={"score", "copies"})
    connection.execute("INSERT INTO texts (rowid, tokens, passage) VALUES (?, ?, ?)", (number, counts, shown))


def _encode_counts(words: Iterable[str]) -> str:
    """Return a token per binary digit of each word's count: `pay pay××` if `pay` occurs five times."""
    counts = Counter(words).items()
    digits = [(word, digit) for word, count in counts for digit in range(count.bit_length()) if count >> digit & 1]
    return " ".join([word + DIGIT * digit for word, digit in digits])


def columns(
    connection: sqlite3.Connection, query: str, values: Sequence[object] | Mapping[str, object]
) -> list[Numbers]:
    """Return a query's columns as JSON arrays of integers, three times as fast as rows."""
    return [np.fromstring(column[1:-1], np.int64, sep=",") for column in connection.execute(query, values).fetchone()]
