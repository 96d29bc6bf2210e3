"""Citations: quote, place in the document and surrounding text (pure)."""

import re
from collections.abc import Sequence

from selfrag.domain.answers import AnswerCitation, Citation
from selfrag.domain.passages import Passage

# Characters of context on each side of a quote; more would double the passages in the state.
AROUND = 200

_COUNTED = re.compile(r"(.*\D )(\d+)")


def citation_of(passage: Passage, start: int, end: int, span: tuple[int, int]) -> Citation:
    """Return a citation of a passage's text from `start` to `end`, for the answer's characters `span`.

    An empty quote is placed at the beginning of its passage.
    """
    quote = passage.text[start:end].strip()
    at = passage.text.index(quote, start)
    return Citation(
        passage_id=passage.passage_id,
        document=passage.document,
        document_id=passage.document_id,
        collection=passage.collection,
        quote=quote,
        answer_span=span,
        heading=passage.heading,
        page=passage.page,
        locator=", ".join(filter(None, [passage.locator, _rows(passage, start, end)])),
        before=passage.text[max(0, at - AROUND) : at],
        after=passage.text[at + len(quote) :][:AROUND],
        copies=list(dict.fromkeys(copy.document for copy in passage.copies if copy.document)),
        copy_count=len(passage.copies),
    )


def add_utf16_spans(citations: Sequence[Citation], answer: str) -> list[AnswerCitation]:
    """Add the spans in UTF-16 code units."""

    def count(characters: int) -> int:
        return len(answer[:characters].encode("utf-16-le", "surrogatepass")) // 2

    return [
        AnswerCitation(**citation.model_dump(), answer_span_utf16=(count(start), count(end)))
        for citation in citations
        for start, end in [citation.answer_span]
    ]


def _rows(passage: Passage, start: int, end: int) -> str:
    """Return the name of the rows in a range: "row 14", "rows 14 to 16"."""
    names = list(dict.fromkeys(row.name for row in passage.rows if row.name and row.start < end and start < row.end))
    if len(names) < 2:
        return "".join(names)
    first, last = _COUNTED.fullmatch(names[0]), _COUNTED.fullmatch(names[-1])
    if first and last and first[1] == last[1]:
        return f"{first[1].rstrip()}s {first[2]} to {last[2]}"
    return f"{names[0]} to {names[-1]}"
