"""The vectors of the texts and words that the stand-in compares: each is made once, and kept in the home directory."""

import hashlib
import json
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from cli.local.home import connect, writing
from selfrag.domain.errors import Misconfigured

Vector = NDArray[np.float32]

MOST_KEPT = 50_000
_MOST_IN_MEMORY = 16_384
_SCHEMA = "CREATE TABLE IF NOT EXISTS text_vectors (key TEXT PRIMARY KEY, vector BLOB NOT NULL);"
_FIND = "SELECT key, vector FROM text_vectors WHERE key IN (SELECT value FROM json_each(?))"
_KEEP = "INSERT OR IGNORE INTO text_vectors VALUES (?, ?)"
_FORGET = "DELETE FROM text_vectors WHERE rowid <= (SELECT max(rowid) FROM text_vectors) - ?"


class TextEmbedder(Protocol):
    """Embeds texts as questions or as passages; its `name` changes whenever its vectors do."""

    name: str

    def queries(self, texts: Sequence[str]) -> list[list[float]]:
        """The vectors of texts as questions."""

    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        """The vectors of texts as passages."""


class TextVectors:
    """The vectors of an embedder; any thread may ask, and one that another is making is waited for."""

    def __init__(self, embedder: TextEmbedder) -> None:
        self._embedder = embedder
        self._lock = threading.Lock()
        self._known: dict[str, Vector] = {}
        self._connection: sqlite3.Connection | None = None

    def of(self, texts: Sequence[str], are_queries: bool) -> list[Vector]:
        """The vectors of texts, in the same order; those that are not known are embedded together."""
        keys = {text: self._key(text, are_queries) for text in texts}
        with self._lock:
            known = {key: self._known[key] for key in keys.values() if key in self._known}
            known |= self._read([key for key in keys.values() if key not in known])
            missing = [text for text, key in keys.items() if key not in known]
            if missing:
                made = self._embedder.queries(missing) if are_queries else self._embedder.passages(missing)
                fresh = {keys[text]: np.asarray(vector, np.float32) for text, vector in zip(missing, made, strict=True)}
                self._write(fresh)
                known |= fresh
            if len(self._known) + len(known) > _MOST_IN_MEMORY:
                self._known.clear()
            self._known.update(known)
        return [known[keys[text]] for text in texts]

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Keep what is made in the block, and know what was kept before; one block at a time."""
        with closing(connect(_SCHEMA)) as connection:
            self._connection = connection
            try:
                yield
            finally:
                with self._lock:
                    self._connection = None
                with suppress(Misconfigured, sqlite3.Error), writing(connection):
                    connection.execute(_FORGET, (MOST_KEPT,))

    def _key(self, text: str, is_query: bool) -> str:
        made_by = f"{self._embedder.name}\n{'question' if is_query else 'passage'}\n{text}"
        return hashlib.sha256(made_by.encode(errors="replace")).hexdigest()

    def _read(self, keys: Sequence[str]) -> dict[str, Vector]:
        if not self._connection or not keys:
            return {}
        try:
            rows = self._connection.execute(_FIND, (json.dumps(keys),)).fetchall()
        except sqlite3.Error:  # they are made again; the answer is the same
            return {}
        return {key: np.frombuffer(vector, np.float32) for key, vector in rows}

    def _write(self, fresh: Mapping[str, Vector]) -> None:
        if self._connection:
            with suppress(Misconfigured, sqlite3.Error), writing(self._connection):
                self._connection.executemany(_KEEP, [(key, vector.tobytes()) for key, vector in fresh.items()])
