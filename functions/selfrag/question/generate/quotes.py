"""Quotes for texts of the fine-tuned model, which names no sentence and rests on a whole passage (pure).

The citation is the passage's, and the quote is ours: the sentence that has most in common with the text. It says where
to look, not what the model looked at.
"""

from collections.abc import Sequence

from selfrag.domain.answers import Citation
from selfrag.domain.passages import Evidence
from selfrag.ports.model import Cited, Segment
from selfrag.question.generate.citations import citations_of
from selfrag.text.likeness import most_like


def quoted(text: str, passage: Evidence, shown: Sequence[str]) -> list[Citation]:
    """Return the one citation of a text, none of an empty one; only text that the model saw is quoted."""
    if not text or not shown:
        return []
    place = most_like(text, shown)
    return citations_of([Segment(text, (Cited(0, place, place + 1),))], len(text), [passage])
