"""The vectors of a collection in memory, with numbers and lengths of its passages, but no text."""

import json
import sqlite3

import numpy as np
from numpy.typing import NDArray

from selfrag.domain.errors import Misconfigured
from selfrag_cli.local.index.store import Numbers, columns

Vectors = NDArray[np.float32]

_GENERATION = "SELECT generation FROM generations WHERE collection = ?"
_PASSAGES = "SELECT json_group_array(number), json_group_array(length) FROM passages WHERE collection = ?"
_VECTORS = "SELECT vector FROM vectors WHERE number IN (SELECT value FROM json_each(?)) ORDER BY number"
_SEVERAL = "The index holds vectors of several embedders; ingest the directories again."
# So many vectors are read, or moved, at a time.
_CHUNK = 1024


class CollectionVectors:
    """A collection's passages by number, in its order: how many tokens each has, and its float32 vector of length 1."""

    def __init__(self) -> None:
        self._generation = 0
        self.numbers: Numbers = np.empty(0, np.int64)
        self.lengths: Numbers = np.empty(0, np.int64)
        self.vectors: Vectors = np.empty((0, 0), np.float32)

    def refresh(self, connection: sqlite3.Connection, collection: str) -> None:
        """Read changes of the collection; vectors in memory are not read again."""
        (generation,) = connection.execute(_GENERATION, (collection,)).fetchone() or (0,)
        if generation == self._generation:
            return
        numbers, lengths = columns(connection, _PASSAGES, (collection,))
        order = np.argsort(numbers)
        numbers, lengths = numbers[order], lengths[order]
        fresh = _read(connection, np.setdiff1d(numbers, self.numbers, assume_unique=True))
        self._keep(np.isin(self.numbers, numbers, assume_unique=True))
        self._append(fresh)
        self.numbers, self.lengths, self._generation = numbers, lengths, generation

    def _keep(self, mask: NDArray[np.bool_]) -> None:
        """Close the gaps in place: a copy would for a moment take the memory twice."""
        end = first = int(mask.argmin()) if not mask.all() else len(mask)
        for start in range(first, len(mask), _CHUNK):
            chunk = self.vectors[start : start + _CHUNK][mask[start : start + _CHUNK]]
            self.vectors[end : end + len(chunk)] = chunk
            end += len(chunk)
        self.vectors.resize((end, self.vectors.shape[1]), refcheck=False)

    def _append(self, fresh: Vectors) -> None:
        held = len(self.vectors)
        if not held:
            self.vectors = fresh
        elif len(fresh):
            if fresh.shape[1] != self.vectors.shape[1]:
                raise Misconfigured(_SEVERAL)
            self.vectors.resize((held + len(fresh), fresh.shape[1]), refcheck=False)
            self.vectors[held:] = fresh


def _read(connection: sqlite3.Connection, numbers: Numbers) -> Vectors:
    """Read the vectors of passages, in the order of their numbers."""
    cursor = connection.execute(_VECTORS, (json.dumps(numbers.tolist()),))
    vectors: Vectors = np.empty((0, 0), np.float32)
    for start in range(0, len(numbers), _CHUNK):
        chunk = [vector for (vector,) in cursor.fetchmany(_CHUNK)]
        if not start:
            vectors = np.empty((len(numbers), len(chunk[0]) // vectors.itemsize), np.float32)
        if set(map(len, chunk)) != {vectors.strides[0]}:
            raise Misconfigured(_SEVERAL)
        vectors[start : start + _CHUNK] = np.frombuffer(b"".join(chunk), np.float32).reshape(len(chunk), -1)
    return vectors
