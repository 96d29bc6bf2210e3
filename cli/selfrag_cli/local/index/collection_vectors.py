"""A collection's vectors in memory, with passage numbers and lengths but no text."""

import json
import sqlite3

import numpy as np
from numpy.typing import NDArray

from selfrag.domain.errors import Misconfigured
from selfrag_cli.local.index.store import Numbers, columns

Vectors = NDArray[np.float32]

_GENERATION = "SELECT generation FROM generations WHERE collection = ?"
_PASSAGES = "SELECT json_group_array(number), json_group_array(length) FROM passages WHERE collection = ?"
_VECTORS = "SELECT number, vector FROM vectors WHERE number IN (SELECT value FROM json_each(?)) ORDER BY number"
_COUNT = "SELECT count(*) FROM vectors WHERE number IN (SELECT value FROM json_each(?))"
_SEVERAL = "The index holds vectors of several embedders; ingest the directories again."
# Number of vectors to read or move at a time.
_CHUNK = 1024


class CollectionVectors:
    """Passage numbers of a collection in order, and their token counts.

    `vectors` are float32 of length 1; `embedded` are the numbers of their passages, in order.
    """

    def __init__(self) -> None:
        self._generation = 0
        self.numbers: Numbers = np.empty(0, np.int64)
        self.lengths: Numbers = np.empty(0, np.int64)
        self.embedded: Numbers = np.empty(0, np.int64)
        self.vectors: Vectors = np.empty((0, 0), np.float32)

    def refresh(self, connection: sqlite3.Connection, collection: str) -> None:
        """Load changes of the collection without rereading known vectors."""
        (generation,) = connection.execute(_GENERATION, (collection,)).fetchone() or (0,)
        if generation == self._generation:
            return
        numbers, lengths = columns(connection, _PASSAGES, (collection,))
        order = np.argsort(numbers)
        numbers, lengths = numbers[order], lengths[order]
        added, vectors = _read(connection, np.setdiff1d(numbers, self.embedded, assume_unique=True))
        self._keep(np.isin(self.embedded, numbers, assume_unique=True))
        self._append(added, vectors)
        self.numbers, self.lengths, self._generation = numbers, lengths, generation

    def cosines(self, query: Vectors) -> Vectors:
        """Return each passage's cosine with a unit vector, minus infinity without a vector."""
        cosines = np.full(len(self.numbers), -np.inf, np.float32)
        if len(self.embedded):
            cosines[np.searchsorted(self.numbers, self.embedded)] = self.vectors @ query
        return cosines

    def _keep(self, mask: NDArray[np.bool_]) -> None:
        """Close gaps in place: a copy would briefly double the memory."""
        self.embedded = self.embedded[mask]
        end = first = int(mask.argmin()) if not mask.all() else len(mask)
        for start in range(first, len(mask), _CHUNK):
            chunk = self.vectors[start : start + _CHUNK][mask[start : start + _CHUNK]]
            self.vectors[end : end + len(chunk)] = chunk
            end += len(chunk)
        self.vectors.resize((end, self.vectors.shape[1]), refcheck=False)

    def _append(self, numbers: Numbers, vectors: Vectors) -> None:
        held = len(self.vectors)
        if not held:
            self.vectors = vectors
        elif len(vectors):
            if vectors.shape[1] != self.vectors.shape[1]:
                raise Misconfigured(_SEVERAL)
            self.vectors.resize((held + len(vectors), vectors.shape[1]), refcheck=False)
            self.vectors[held:] = vectors
        self.embedded = np.concatenate([self.embedded, numbers])


def _read(connection: sqlite3.Connection, numbers: Numbers) -> tuple[Numbers, Vectors]:
    """Read these passages' existing vectors in order of number."""
    places, vectors = np.empty(0, np.int64), np.empty((0, 0), np.float32)
    values = (json.dumps(numbers.tolist()),)
    [count] = connection.execute(_COUNT, values).fetchone()
    cursor = connection.execute(_VECTORS, values)
    for start in range(0, count, _CHUNK):
        chunk, blobs = zip(*cursor.fetchmany(_CHUNK), strict=True)
        if not start:
            places = np.empty(count, np.int64)
            vectors = np.empty((count, len(blobs[0]) // vectors.itemsize), np.float32)
        if set(map(len, blobs)) != {vectors.strides[0]}:
            raise Misconfigured(_SEVERAL)
        end = start + len(blobs)
        places[start:end] = chunk
        vectors[start:end] = np.frombuffer(b"".join(blobs), np.float32).reshape(len(blobs), -1)
    return places, vectors
