"""How close texts and words are in meaning, by the laptop's embedder."""

from collections.abc import Iterable
from contextlib import AbstractContextManager
from functools import lru_cache

import numpy as np

from cli.local.index import E5Embedder
from cli.local.offline.text.kept import TextVectors, Vector
from cli.local.offline.text.vocabulary import ANY_WORDS, ANY_WORDS_JA
from cli.local.offline.text.words import Unit, is_japanese, plain

# Longer texts cost time out of proportion, and the model reads no more than 512 tokens anyway.
_LONGEST = 1200
_TEXTS = TextVectors(E5Embedder())

# Two words mean about the same from here on: between the two, in part. Found on 95 pairs of words
# (48 of one meaning, 47 merely of one field): the difference tells them apart with an AUC of .84.
_UNLIKE, _ALIKE = 0.035, 0.07


def closeness(question: str, text: str) -> float:
    """How close a text is to a question: 0 for texts of one field, about 1.5 for an answer in the question's words.

    Cosines of this embedder all lie between about .75 and .95, so they are stretched.
    """
    (asked,), (said,) = _vectors([question], True), _vectors([text], False)
    return (float(asked @ said) - 0.85) * 20


def read_ahead(texts: Iterable[str]) -> None:
    """Embed what will be compared with a question; together that takes half the time."""
    _vectors(texts, False)


def likeness(unit: Unit, others: tuple[Unit, ...]) -> float:
    """How nearly a word means the same as the nearest of other words, from 0 to 1."""
    words = [other.text for other in others if other.kind != "number"]
    if unit.kind == "number" or not words:
        return 0.0
    nearest = _nearest(unit.text, words)
    return min(1.0, max(0.0, (nearest - _closeness_to_anything(unit.text) - _UNLIKE) / (_ALIKE - _UNLIKE)))


@lru_cache(4096)
def _closeness_to_anything(word: str) -> float:
    others = ANY_WORDS_JA if is_japanese(word) else ANY_WORDS
    own, *theirs = _vectors([word, *(other for other in others if other != word)], True)
    return float(np.mean([own @ other for other in theirs]))


def _nearest(word: str, others: Iterable[str]) -> float:
    own, *theirs = _vectors([word, *others], True)
    return max(float(own @ other) for other in theirs)


def kept_vectors() -> AbstractContextManager[None]:
    """Keep the vectors that are made in the block in the home directory, and know those that were kept before."""
    return _TEXTS.kept()


def _vectors(texts: Iterable[str], are_queries: bool) -> list[Vector]:
    return _TEXTS.of([plain(text)[:_LONGEST].strip() or "-" for text in texts], are_queries)
