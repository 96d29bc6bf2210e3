"""The text of a path: its sentences in order, each with its own citation (pure)."""

from collections.abc import Sequence

from selfrag.domain.answers import UNCITED, Citation
from selfrag.domain.scores.critiqued import Segment
from selfrag.domain.scores.tokens import words_of

# No space follows these.
_CLOSED = ("。", "！", "？", "」", "』", "）", "”", "’")


def joined(segments: Sequence[Segment]) -> tuple[str, list[Citation]]:
    """Return the answer of a path, and its sentences' citations in their order.

    A sentence without a citation is marked. A passage that is cited again keeps the number of its first citation.
    """
    text = ""
    citations: list[Citation] = []
    for segment in segments:
        # An answer holds no token of the generator, whatever wrote it.
        sentence = " ".join(words_of(segment.answer).split())
        text += "" if not text or text.endswith(_CLOSED) else " "
        start = len(text)
        text += sentence
        if segment.citations and segment.grounded:
            citations.append(segment.citations[0].model_copy(update={"answer_span": (start, len(text))}))
        else:
            text += f" {UNCITED}"
    return text, citations
