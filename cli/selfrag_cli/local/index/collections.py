"""Sizes and removal of collections; the connection has the schema of `store`."""

import json
import sqlite3
from collections.abc import Callable
from typing import NamedTuple

from selfrag.domain.passages import Passage
from selfrag.retrieval.duplicates import content_of

# Sizes of display text, search text and vectors, without SQLite's own overhead.
_SIZES = """
SELECT collection, count(*), sum(length(texts.passage) + length(texts.tokens) + coalesce(length(vectors.vector), 0))
FROM passages JOIN texts ON texts.rowid = number LEFT JOIN vectors USING (number) GROUP BY collection
"""
_TEXTS = "SELECT texts.passage FROM passages JOIN texts ON texts.rowid = number WHERE collection = ?"


class Size(NamedTuple):
    """The number of passages of a collection, and the bytes of their text and vectors."""

    passages: int = 0
    bytes: int = 0


def sizes(connection: sqlite3.Connection) -> dict[str, Size]:
    """Return the size of each non-empty collection."""
    return {collection: Size(passages, held) for collection, passages, held in connection.execute(_SIZES)}


def forget(connection: sqlite3.Connection, collection: str, key: Callable[[str], str]) -> None:
    """Remove a collection's passages and cached vectors, in a transaction.

    `key` maps content to its cached vector's key. Other collections with the same text only lose time on reingestion.
    """
    rows = connection.execute(_TEXTS, (collection,))
    keys = [key(content_of(Passage.model_validate_json(shown, extra="ignore"))) for (shown,) in rows]
    connection.execute("DELETE FROM embeddings WHERE key IN (SELECT value FROM json_each(?))", (json.dumps(keys),))
    connection.execute("DELETE FROM passages WHERE collection = ?", (collection,))
    connection.execute("DELETE FROM backfills WHERE collection = ?", (collection,))
