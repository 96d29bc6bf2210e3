"""The tables of the index, and how a collection's documents get into them."""

import hashlib
import json
import os
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from cli.home import writing
from selfrag.documents import Piece

SCHEMA = """
CREATE TABLE IF NOT EXISTS embeddings (key TEXT PRIMARY KEY, vector BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS documents (
    collection TEXT, path TEXT, content_hash TEXT NOT NULL, PRIMARY KEY (collection, path)
);
CREATE TABLE IF NOT EXISTS passages (
    passage_id TEXT PRIMARY KEY, collection TEXT NOT NULL, document TEXT NOT NULL, position INTEGER NOT NULL,
    title TEXT NOT NULL, text TEXT NOT NULL, embedding TEXT NOT NULL REFERENCES embeddings,
    FOREIGN KEY (collection, document) REFERENCES documents ON DELETE CASCADE
);
CREATE INDEX IF NOT EXISTS passages_by_document ON passages (collection, document);
CREATE TABLE IF NOT EXISTS generations (collection TEXT PRIMARY KEY, generation INTEGER NOT NULL);
"""


def collection_of(directory: Path) -> str:
    """The collection of a directory's documents: a hash of its absolute path, 32 hexadecimal digits."""
    return hashlib.sha256(os.fsencode(directory.resolve())).hexdigest()[:32]


def embedded_text(title: str, text: str) -> str:
    """What is embedded of a passage, and what full text search reads."""
    return f"{title}\n{text}"


class Collection:
    """The documents of one collection, each with the hash that tells whether its file has changed.

    Changes name the hash that their author has `seen`. If it is another one by now, a second process has brought
    the document up to date in the meantime, and the change is left out.
    """

    def __init__(self, connection: sqlite3.Connection, name: str) -> None:
        self._connection = connection
        self._name = name

    def content_hashes(self) -> dict[str, str]:
        """The content hashes of the documents, by path."""
        query = "SELECT path, content_hash FROM documents WHERE collection = ?"
        return dict(self._connection.execute(query, (self._name,)))

    def replace(self, path: str, seen: str | None, content_hash: str, pieces: Sequence[tuple[Piece, str]]) -> None:
        """Put in a document (`seen` is None if there was none), each piece with the key of its kept embedding."""
        rows = []
        for position, (piece, embedding) in enumerate(pieces):
            parts = [self._name, path, position, piece.title, piece.text]
            passage_id = hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]
            rows.append((passage_id, self._name, path, position, piece.title, piece.text, embedding))
        with writing(self._connection):
            if self._drop(path, seen):
                self._connection.execute("INSERT INTO documents VALUES (?, ?, ?)", (self._name, path, content_hash))
                self._connection.executemany("INSERT INTO passages VALUES (?, ?, ?, ?, ?, ?, ?)", rows)

    def remove(self, path: str, seen: str) -> None:
        """Remove a document and its passages."""
        with writing(self._connection):
            self._drop(path, seen)

    def _drop(self, path: str, seen: str | None) -> bool:
        if self.content_hashes().get(path) != seen:
            return False
        self._connection.execute("DELETE FROM documents WHERE collection = ? AND path = ?", (self._name, path))
        self._connection.execute(
            "INSERT INTO generations VALUES (?, 1) ON CONFLICT DO UPDATE SET generation = generation + 1",
            (self._name,),
        )
        return True
