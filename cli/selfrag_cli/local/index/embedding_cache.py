"""A cache of passage vectors in SQLite: each text is embedded once."""

import hashlib
import sqlite3
import threading
from collections.abc import Sequence
from concurrent.futures import Future

import numpy as np
from typing_extensions import override

from selfrag_cli.local.home import writing
from selfrag_cli.local.index.embedders import NamedEmbedder


class CachedEmbedder(NamedEmbedder):
    """An embedder that caches the vectors of passages, so that each is embedded once."""

    def __init__(self, embedder: NamedEmbedder, connection: sqlite3.Connection) -> None:
        self.name = embedder.name
        self._embedder = embedder
        self._connection = connection
        self._lock = threading.Lock()
        self._at_work: dict[str, Future[bytes]] = {}

    @property
    @override
    def spread_floor(self) -> float:
        return self._embedder.spread_floor

    @override
    def query(self, text: str) -> list[float]:
        """Return the vector of a search query; it is not cached."""
        return self._embedder.query(text)

    @override
    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the vectors of passages, in the same order (rounded to float32)."""
        keys = [self.key(text) for text in texts]
        texts_by_key = dict(zip(keys, texts, strict=True))
        with self._lock:
            vectors = {key: vector for key in texts_by_key if (vector := self._cached(key))}
            # Wait for texts that another thread embeds just now.
            others = {key: self._at_work[key] for key in texts_by_key if key not in vectors and key in self._at_work}
            ours = {key: Future[bytes]() for key in texts_by_key if key not in vectors and key not in others}
            self._at_work.update(ours)
        self._embed({key: texts_by_key[key] for key in ours}, ours)
        vectors |= {key: vector.result() for key, vector in (ours | others).items()}
        return [np.frombuffer(vectors[key], np.float32).tolist() for key in keys]

    def _embed(self, texts: dict[str, str], vectors: dict[str, "Future[bytes]"]) -> None:
        """Embed texts and cache their vectors; threads that wait for one get it, or the error, once it is cached."""
        if not texts:
            return
        try:
            embeddings = self._embedder.passages(list(texts.values()))
            fresh = {
                key: np.asarray(vector, np.float32).tobytes() for key, vector in zip(texts, embeddings, strict=True)
            }
            with self._lock, writing(self._connection):
                self._connection.executemany("INSERT OR IGNORE INTO embeddings VALUES (?, ?)", fresh.items())
        except BaseException as error:
            for vector in vectors.values():
                vector.set_exception(error)
            raise
        else:
            for key, vector in vectors.items():
                vector.set_result(fresh[key])
        finally:
            with self._lock:
                for key in vectors:
                    del self._at_work[key]

    def key(self, text: str) -> str:
        """Return the key of a passage's vector in the table `embeddings`."""
        return hashlib.sha256(f"{self.name}\n{text}".encode(errors="replace")).hexdigest()

    def _cached(self, key: str) -> bytes | None:
        row = self._connection.execute("SELECT vector FROM embeddings WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None
