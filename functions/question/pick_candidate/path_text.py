"""A path as one text: its sentences one after the other, each with its own citation (pure)."""

from collections.abc import Sequence

from selfrag.domain.answers import UNCITED, Citation
from selfrag.domain.scores.critiqued import Segment
from selfrag.domain.scores.tokens import words_of

# After these no space is needed.
_CLOSED = ("。", "！", "？", "」", "』", "）", "”", "’")


def joined(segments: Sequence[Segment]) -> tuple[str, list[Citation]]:
    """The answer of a path, and the citation of each sentence in the order of the sentences.

    What cites nothing is marked. A passage that is cited again keeps the number that it had with its first citation.
    """
    text = ""
    citations: list[Citation] = []
    for segment in segments:
        # No token of the generator's stands in an answer, whatever wrote it.
        sentence = " ".join(words_of(segment.answer).split())
        text += "" if not text or text.endswith(_CLOSED) else " "
        start = len(text)
        text += sentence
        if segment.citations and segment.grounded:
            citations.append(segment.citations[0].model_copy(update={"answer_span": (start, len(text))}))
        else:
            text += f" {UNCITED}"
    return text, citations
