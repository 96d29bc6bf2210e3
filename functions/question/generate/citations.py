"""Citations of an answer: quotes of passages with their places, from the model's citations (pure)."""

import re
from collections.abc import Sequence

from selfrag.domain.answers import Citation
from selfrag.domain.passages import Evidence
from selfrag.ports.model import Cited, Segment, Source
from selfrag.text.sentences import split_around

# Characters of context on either side of a quote: the state must not hold each passage twice.
AROUND = 200

_COUNTED = re.compile(r"(.*\D )(\d+)")


def source_of(passage: Evidence) -> Source:
    """Return a passage as a source of the model: a block for each sentence and each row, of its strips if it has some.

    A quote may span strips: it is the passage's own text, with what was left out between them.
    """
    return Source(passage.document, passage.title, tuple(passage.text[start:end] for start, end in _blocks(passage)))


def citations_of(segments: Sequence[Segment], length: int, passages: Sequence[Evidence]) -> list[Citation]:
    """Return the segments' citations in the first `length` characters, each with its passage and its place."""
    found: list[Citation] = []
    start = 0
    for segment in segments:
        end = min(start + len(segment.text), length)
        for cited in segment.citations if start < end else ():
            if 0 <= cited.source < len(passages):
                found += _citation(passages[cited.source], cited, (start, end))
        start += len(segment.text)
    return found


def _citation(passage: Evidence, cited: Cited, span: tuple[int, int]) -> list[Citation]:
    """Return one citation, or none where nothing is quoted."""
    blocks = _blocks(passage)[cited.start_block : cited.end_block]
    if not blocks:
        return []
    start, end = blocks[0][0], blocks[-1][1]
    quote = passage.text[start:end].strip()
    at = passage.text.index(quote, start)
    return [
        Citation(
            passage_id=passage.passage_id,
            document=passage.document,
            quote=quote,
            answer_span=span,
            heading=passage.heading,
            page=passage.page,
            locator=", ".join(filter(None, [passage.locator, _rows(passage, start, end)])),
            before=passage.text[max(0, at - AROUND) : at],
            after=passage.text[at + len(quote) :][:AROUND],
            copies=copies_of(passage),
            copy_count=len(passage.copies),
        )
    ]


def copies_of(passage: Evidence) -> list[str]:
    """Return the documents that hold a near-duplicate of a passage, as far as they are named."""
    return list(dict.fromkeys(copy.document for copy in passage.copies if copy.document))


def _blocks(passage: Evidence) -> list[tuple[int, int]]:
    blocks = split_around(passage.text, [(row.start, row.end) for row in passage.rows])
    if not passage.strips:
        return blocks
    return [(start, end) for start, end in blocks if any(s.start <= start and end <= s.end for s in passage.strips)]


def _rows(passage: Evidence, start: int, end: int) -> str:
    """Return the name of the rows between two characters: "row 14", "rows 14 to 16"."""
    names = list(dict.fromkeys(row.name for row in passage.rows if row.name and row.start < end and start < row.end))
    if len(names) < 2:
        return "".join(names)
    first, last = _COUNTED.fullmatch(names[0]), _COUNTED.fullmatch(names[-1])
    if first and last and first[1] == last[1]:
        return f"{first[1].rstrip()}s {first[2]} to {last[2]}"
    return f"{names[0]} to {names[-1]}"
