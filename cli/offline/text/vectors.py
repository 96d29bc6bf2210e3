"""How close texts and words are in meaning, by the laptop's embedder; vectors are kept in memory."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from cli.index import E5Embedder
from cli.offline.text.vocabulary import ANY_WORDS, ANY_WORDS_JA
from cli.offline.text.words import Unit, is_japanese, plain

Vector = NDArray[np.float32]

# Longer texts cost time out of proportion, and the model reads no more than 512 tokens anyway.
_LONGEST = 1200
_EMBEDDER = E5Embedder()

# Two words mean about the same from here on: between the two, in part. Found on 95 pairs of words
# (48 of one meaning, 47 merely of one field): the difference tells them apart with an AUC of .84.
_UNLIKE, _ALIKE = 0.035, 0.07


def closeness(question: str, text: str) -> float:
    """How close a text is to a question: 0 for texts of one field, about 1.5 for an answer in the question's words.

    Cosines of this embedder all lie between about .75 and .95, so they are stretched.
    """
    return (float(_vector(question, True) @ _vector(text, False)) - 0.85) * 20


def likeness(unit: Unit, others: tuple[Unit, ...]) -> float:
    """How nearly a word means the same as the nearest of other words, from 0 to 1."""
    words = [other.text for other in others if other.kind != "number"]
    if unit.kind == "number" or not words:
        return 0.0
    nearest = max(float(_vector(unit.text, True) @ _vector(word, True)) for word in words)
    return min(1.0, max(0.0, (nearest - _closeness_to_anything(unit.text) - _UNLIKE) / (_ALIKE - _UNLIKE)))


@lru_cache(4096)
def _closeness_to_anything(word: str) -> float:
    others = ANY_WORDS_JA if is_japanese(word) else ANY_WORDS
    return float(np.mean([_vector(word, True) @ _vector(other, True) for other in others if other != word]))


@lru_cache(16384)
def _vector(text: str, is_query: bool) -> Vector:
    text = plain(text)[:_LONGEST].strip() or "-"
    return np.asarray(_EMBEDDER.query(text) if is_query else _EMBEDDER.passages([text])[0], np.float32)
