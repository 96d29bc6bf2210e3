"""Citations of an answer: quotes of passages with their places, from the model's citations (pure)."""

from collections.abc import Sequence

from selfrag.domain.answers import Citation
from selfrag.domain.citations import citation_of
from selfrag.domain.passages import Evidence
from selfrag.ports.model import Source, TextBlock
from selfrag.text.sentences import split_around


def source_of(passage: Evidence) -> Source:
    """Return a passage as a model source, with a block per sentence and row (of its strips, if any).

    A quote may span strips and then includes the text between them. The title ends with the document's date, which
    helps to weigh contradictions.
    """
    title = f"{passage.title or passage.document}, {passage.date}" if passage.date else passage.title
    return Source(passage.document, title, tuple(passage.text[start:end] for start, end in _blocks(passage)))


def citations_of(segments: Sequence[TextBlock], length: int, passages: Sequence[Evidence]) -> list[Citation]:
    """Return the citations within the first `length` characters, with their passages and positions."""
    citations: list[Citation] = []
    start = 0
    for segment in segments:
        end = min(start + len(segment.text), length)
        for cited in segment.citations if start < end else ():
            if 0 <= cited.source < len(passages):
                passage = passages[cited.source]
                if blocks := _blocks(passage)[cited.start_block : cited.end_block]:
                    citations.append(citation_of(passage, blocks[0][0], blocks[-1][1], (start, end)))
        start += len(segment.text)
    return citations


def _blocks(passage: Evidence) -> list[tuple[int, int]]:
    blocks = split_around(passage.text, [(row.start, row.end) for row in passage.rows])
    if not passage.strips:
        return blocks
    return [(start, end) for start, end in blocks if any(s.start <= start and end <= s.end for s in passage.strips)]
