"""The tables of the index, and the names in them."""

import hashlib
import os
from pathlib import Path

SCHEMA = """
CREATE TABLE IF NOT EXISTS embeddings (key TEXT PRIMARY KEY, vector BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS entries (
    id TEXT PRIMARY KEY, passage_id TEXT NOT NULL UNIQUE, collection TEXT NOT NULL, passage TEXT NOT NULL,
    vector BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS entries_by_collection ON entries (collection);
CREATE TABLE IF NOT EXISTS generations (collection TEXT PRIMARY KEY, generation INTEGER NOT NULL);
"""


def collection_of(directory: Path) -> str:
    """The collection of a directory's documents: a hash of its absolute path, 32 hexadecimal digits."""
    return hashlib.sha256(os.fsencode(directory.resolve())).hexdigest()[:32]


def embedded_text(title: str, text: str) -> str:
    """What is embedded of a passage, and what full text search reads."""
    return f"{title}\n{text}"
