"""Strips: pieces of a passage, judged one by one, so that only the good ones are kept as evidence.

After CRAG's knowledge refinement (arXiv 2401.15884, section 4.4 and appendix B.2).
"""

import math
from collections.abc import Mapping, Sequence

from selfrag.domain.passages import Passage, Strip
from selfrag.text.sentences import split_around

# One reply judges a passage with its strips, and has to stay short.
MOST_STRIPS = 10
# A passage of so few sentences is one strip, and judged as a whole.
_SENTENCES_OF_ONE = 2


def strips_of(passage: Passage) -> list[Strip]:
    """Cut a passage into strips of a sentence, of a few if it is long; a row is never cut. Empty if it is one strip."""
    pieces = split_around(passage.text, [(row.start, row.end) for row in passage.rows])
    if len(pieces) <= _SENTENCES_OF_ONE:
        return []
    size = math.ceil(len(pieces) / MOST_STRIPS)
    groups = [pieces[first : first + size] for first in range(0, len(pieces), size)]
    return [Strip(start=group[0][0], end=group[-1][1]) for group in groups]


def good(strips: Sequence[Strip], scores: Mapping[int, float], threshold: float) -> list[Strip]:
    """Return the strips, numbered from 1, whose score reaches the threshold; one without a score is dropped.

    Empty if none does: a passage may be relevant as a whole though no strip is, and then stays whole.
    """
    return [strip for number, strip in enumerate(strips, start=1) if scores.get(number, -1.0) >= threshold]
