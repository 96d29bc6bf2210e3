"""A path as one text: its sentences one after the other, each with its own citation (pure)."""

import re
from collections.abc import Sequence

from selfrag.domain.answers import UNCITED, Citation
from selfrag.domain.scores.critiqued import Segment
from selfrag.domain.scores.tokens import CONTROL

# No token of the generator's stands in an answer, whatever wrote it.
_TOKENS = re.compile("|".join(map(re.escape, CONTROL)))
# After these no space is needed.
_CLOSED = ("。", "！", "？", "」", "』", "）", "”", "’")


def joined(segments: Sequence[Segment]) -> tuple[str, list[Citation]]:
    """The answer of a path, and the citation of each sentence in the order of the sentences.

    What cites nothing is marked. A passage that is cited again keeps the number that it had with its first citation.
    """
    text = ""
    citations: list[Citation] = []
    for segment in segments:
        sentence = " ".join(_TOKENS.sub(" ", segment.answer).split())
        text += "" if not text or text.endswith(_CLOSED) else " "
        start = len(text)
        text += sentence
        if segment.citations and segment.grounded:
            citations.append(segment.citations[0].model_copy(update={"answer_span": (start, len(text))}))
        else:
            text += f" {UNCITED}"
    return text, citations
