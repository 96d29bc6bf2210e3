"""A SQLite cache of passage vectors: each text is embedded once."""

import hashlib
import sqlite3
import threading
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from typing_extensions import override

from selfrag.domain.passages import Passage
from selfrag.retrieval.duplicates import content_of
from selfrag_cli.local.home import open_transaction
from selfrag_cli.local.index.embedders import NamedEmbedder

# A query is embedded once for search and graders.
_MAX_QUERIES = 64


class CachedEmbedder(NamedEmbedder):
    """Caches passage vectors on disk and recent query vectors in memory."""

    def __init__(self, embedder: NamedEmbedder, connection: sqlite3.Connection) -> None:
        self.name = embedder.name
        self._embedder = embedder
        self._connection = connection
        self._lock = threading.Lock()
        self._query = lru_cache(_MAX_QUERIES)(embedder.query)

    @property
    @override
    def spread_floor(self) -> float:
        return self._embedder.spread_floor

    @override
    def query(self, text: str) -> list[float]:
        """Return the vector of a search query."""
        return self._query(text)

    def similarity(self, query: str, passage: Passage) -> float | None:
        """Return the cosine of a query and a passage, None without a passage vector."""
        with self._lock:
            vector = self._read_cached(self.key(content_of(passage)))
        if vector is None:
            return None
        return float(np.frombuffer(vector, np.float32) @ np.asarray(self.query(query), np.float32))

    @override
    def passages(self, texts: Sequence[str], contents: Sequence[str] | None = None) -> list[list[float]]:
        """Return passage vectors in order, rounded to float32.

        Texts with equal `contents` share the first one's vector; by default each text is its own content.
        """
        keys = [self.key(content) for content in contents or texts]
        with self._lock:
            vectors = {key: vector for key in set(keys) if (vector := self._read_cached(key))}
        missing: dict[str, str] = {}
        for key, text in zip(keys, texts, strict=True):
            if key not in vectors:
                missing.setdefault(key, text)
        if missing:
            embeddings = self._embedder.passages(list(missing.values()))
            added = {
                key: np.asarray(vector, np.float32).tobytes() for key, vector in zip(missing, embeddings, strict=True)
            }
            with self._lock, open_transaction(self._connection):
                self._connection.executemany("INSERT OR IGNORE INTO embeddings VALUES (?, ?)", added.items())
            vectors |= added
        return [np.frombuffer(vectors[key], np.float32).tolist() for key in keys]

    def add_from(self, file: Path) -> None:
        """Load a numpy file (`keys` and `vectors`) into the cache, if that is empty."""
        with self._lock:
            if self._connection.execute("SELECT EXISTS (SELECT 1 FROM embeddings)").fetchone()[0] or not file.exists():
                return
            with np.load(file) as shipped, open_transaction(self._connection):
                vectors = [vector.astype(np.float32).tobytes() for vector in shipped["vectors"]]
                rows = zip(shipped["keys"].tolist(), vectors, strict=True)
                self._connection.executemany("INSERT OR IGNORE INTO embeddings VALUES (?, ?)", rows)

    def key(self, content: str) -> str:
        """Return the cache key of a content's vector."""
        return hashlib.sha256(f"{self.name}\n{content}".encode(errors="replace")).hexdigest()

    def _read_cached(self, key: str) -> bytes | None:
        row = self._connection.execute("SELECT vector FROM embeddings WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None
