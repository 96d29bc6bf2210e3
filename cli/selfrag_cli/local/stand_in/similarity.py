"""The stand-in's similarity scores by language: 0.5 where a tenth of NoMIRACL's answerable questions is declined.

docs/measurements.md has the figures.
"""

import math
from collections.abc import Callable

from selfrag.domain.passages import Passage
from selfrag.text.east_asian import RUN
from selfrag.text.language import detect_language

# Returns the cosine of a query and a passage, None without a vector.
Similarity = Callable[[str, Passage], float | None]

_THRESHOLDS = {"en": 0.893, "de": 0.884, "fr": 0.895, "es": 0.894, "ja": 0.911, "ko": 0.891}
_LATIN, _OTHER, _LAST_LATIN = 0.891, 0.895, "\u0250"
# Full word overlap can compensate for a slightly low cosine.
_WORDS = 0.04
# The distance from the threshold at which the score is 0.73 or 0.27.
_SCALE = 0.03


def similarity_of(cosine: float, share: float) -> float:
    """Return a passage's similarity to a question from their cosine and shared words."""
    return cosine + _WORDS * share


def threshold_of(question: str) -> float:
    """Return the relevance threshold for a question's language or script."""
    letters = [letter for letter in question if letter.isalpha()]
    is_latin = 2 * sum(letter < _LAST_LATIN for letter in letters) >= len(letters)
    language = detect_language(question)
    if is_latin or language in ("ja", "ko"):
        return _THRESHOLDS.get(language, _LATIN)
    return _THRESHOLDS["ja"] if RUN.search(question) else _OTHER


def score_of(similarity: float, threshold: float) -> float:
    """Return a score from 0 to 1, with 0.5 at the threshold."""
    return 1 / (1 + math.exp((threshold - similarity) / _SCALE))
