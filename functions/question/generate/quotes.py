"""Quotes for texts of the fine-tuned model, which names no sentence and rests on a whole passage (pure).

The citation is the passage's, and the quote is ours: the sentence that has most in common with the text. It says where
to look, not what the model looked at.
"""

from collections.abc import Sequence

from question.generate.citations import citations_of
from selfrag.domain.answers import Citation
from selfrag.domain.passages import Evidence
from selfrag.ports.model import Cited, Segment

_LETTERS = 3


def quoted(text: str, passage: Evidence, shown: Sequence[str]) -> list[Citation]:
    """Return the one citation of a text, none of an empty one; only text that the model saw is quoted."""
    if not text or not shown:
        return []
    letters = _parts(text)
    place = max(range(len(shown)), key=lambda place: _likeness(letters, _parts(shown[place])))
    return citations_of([Segment(text, (Cited(0, place, place + 1),))], len(text), [passage])


def _parts(text: str) -> set[str]:
    """Return all runs of three letters, which languages without spaces have, too."""
    folded = " ".join(text.casefold().split())
    return {folded[at : at + _LETTERS] for at in range(max(1, len(folded) - _LETTERS + 1))}


def _likeness(one: set[str], other: set[str]) -> float:
    return 2 * len(one & other) / (len(one) + len(other))
