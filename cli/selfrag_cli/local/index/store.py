"""The tables of the index, and how a passage is written to them.

A passage has a number, which grows and is never used again: a greater one than all known numbers is new. Searched
columns lie apart from those that are only shown, so that a search reads no more than it needs. The full text of FTS5
holds our own tokens, with spaces between them; its own ranking is not used (`ranking` says why).
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from selfrag.domain.errors import Misconfigured
from selfrag.domain.passages import Passage
from selfrag.retrieval.passage_tokens import passage_tokens
from selfrag_cli.local.home import explain, is_damage

Numbers = NDArray[np.int64]

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
CREATE VIRTUAL TABLE IF NOT EXISTS texts USING fts5 (tokens, passage UNINDEXED, tokenize = 'ascii');
CREATE VIRTUAL TABLE IF NOT EXISTS terms USING fts5vocab (texts, instance);
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
    """Write a passage under the index's own id, in place of one with the same passage id; in a transaction.

    An empty vector is none: it comes later.
    """
    words = passage_tokens(passage)
    connection.execute("DELETE FROM passages WHERE passage_id = ?", (passage.passage_id,))
    about = (passage.collection, passage.document, passage.date, json.dumps(passage.tags), len(words))
    number = connection.execute(_ADD, (own_id, passage.passage_id, *about)).lastrowid
    if vector:
        connection.execute("INSERT INTO vectors VALUES (?, ?)", (number, vector))
    shown = passage.model_dump_json(exclude={"score", "copies"})
    connection.execute("INSERT INTO texts (rowid, tokens, passage) VALUES (?, ?, ?)", (number, " ".join(words), shown))


def columns(
    connection: sqlite3.Connection, query: str, values: Sequence[object] | Mapping[str, object]
) -> list[Numbers]:
    """Return the columns of a query, each a JSON array of whole numbers: this takes half the time of reading rows."""
    return [np.array(json.loads(column), np.int64) for column in connection.execute(query, values).fetchone()]


@contextmanager
def reading(connection: sqlite3.Connection) -> Iterator[None]:
    """Read in one transaction: the block sees the index of one moment, whatever other processes write.

    Raises Misconfigured when the file is damaged.
    """
    try:
        with connection:
            connection.execute("BEGIN")
            yield
    except sqlite3.DatabaseError as error:
        if is_damage(error):
            raise Misconfigured(explain(error)) from error
        raise
