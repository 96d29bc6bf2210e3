"""The scores of a search, BM25 and cosine, and the best of them."""

import math
import sqlite3
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from selfrag.domain.errors import Misconfigured
from selfrag_cli.local.index.collection_vectors import Vectors
from selfrag_cli.local.index.store import Numbers, columns

Scores = NDArray[np.float32]

# What Anserini found best for short passages; it is also better here, on XQuAD.
K1, B = 0.9, 0.4


def bm25(connection: sqlite3.Connection, words: Sequence[str], numbers: Numbers, lengths: Numbers) -> Scores:
    """Return the score of each passage for a query's tokens, by BM25 as Lucene has it.

    Word statistics are those of the passages given by number and length (in tokens). One without such a token has 0.
    FTS5's own `bm25()` counts words over all collections, has other constants, and took twice the time.
    """
    scores = np.zeros(len(numbers), np.float32)
    order = np.argsort(numbers, kind="stable")
    known = {word: _found(connection, word, numbers, order) for word in set(words)}
    for word in words:
        where, often = known[word]
        if len(where):
            rarity = math.log(1 + (len(numbers) - len(where) + 0.5) / (len(where) + 0.5))
            share = often / (K1 * ((1 - B) + B * lengths[where] / lengths.mean()) + often)
            # In the precision that a score has: words are added up one after another.
            scores[where] += (np.float32(rarity) * share).astype(np.float32)
    return scores


def _found(connection: sqlite3.Connection, word: str, numbers: Numbers, order: Numbers) -> tuple[Numbers, Numbers]:
    """Return the places among the numbers at which a word occurs, and its count in each."""
    (found,) = columns(connection, "SELECT json_group_array(doc) FROM terms WHERE term = ?", (word,))
    docs, often = np.unique(found, return_counts=True)
    # The same table holds the words of other collections.
    place = np.searchsorted(numbers, docs, sorter=order)
    ours = place < len(numbers)
    ours[ours] = numbers[order[place[ours]]] == docs[ours]
    return order[place[ours]], often[ours]


def cosines(held: Sequence[Vectors], vector: Sequence[float]) -> Scores:
    """Return the cosine of each passage with a vector of length 1.

    Raises Misconfigured if not all vectors have the same length.
    """
    lengths = {some.shape[1] for some in held}
    if len(lengths) > 1:
        raise Misconfigured("The index holds vectors of several embedders; ingest the directories again.")
    if lengths != {len(vector)}:
        raise Misconfigured("The index holds vectors of another embedder; ingest the directory again.")
    wanted = np.asarray(vector, np.float32)
    return np.concatenate([some @ wanted for some in held])


def best(scores: Scores, eligible: NDArray[np.bool_], size: int) -> Numbers:
    """Return the places of the `size` best eligible ones, in no order; more of them if the last ones are equal."""
    among: Numbers = np.flatnonzero(eligible)
    if len(among) <= size:
        return among
    least = np.partition(scores[among], -size)[-size]
    last: Numbers = among[scores[among] >= least]
    return last
