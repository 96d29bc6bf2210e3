"""The answer: from passages with citations, from the model alone, or an answer repaired."""

import re
from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel

from selfrag.domain.answers import Citation, Turn
from selfrag.domain.calls import StepResult
from selfrag.domain.passages import Passage
from selfrag.domain.prompts import Prompt
from selfrag.ports.model import Claude, Flaw, Segment, Source
from selfrag.text.sentences import split_sentences

# What prompt.md tells the model to write when the passages do not hold the answer. It never reaches a caller.
NO_ANSWER = "NO_ANSWER"
UNCITED = "[uncited]"


class Task(BaseModel):
    """The question and its evidence; `draft` and `failed_claims` are set when an answer is to be repaired."""

    question: str
    mode: Literal["grounded", "direct"] = "grounded"
    passages: list[Passage] = []
    draft: str = ""
    failed_claims: list[str] = []
    previous: Turn = Turn()
    deadline_ms: float | None = None


class Result(StepResult):
    """The answer and its citations; `found` is false when there is no answer, and `flaw` says if the reply was bad."""

    answer: str = ""
    citations: list[Citation] = []
    found: bool = False
    flaw: Flaw | None = None


def generate(task: Task, claude: Claude, prompt: Prompt) -> Result:
    """Write the answer, map its citations back to passages, and mark what cites nothing.

    A cut answer keeps its whole sentences; a refused or empty one is no answer.
    """
    passages = task.passages if task.mode == "grounded" else []
    blocks = [split_sentences(passage.text) for passage in passages]
    sources = [Source(p.document, p.title, tuple(b)) for p, b in zip(passages, blocks, strict=True)]
    writing = claude.write("generate", prompt, sources, _fields(task))
    segments = [] if writing.flaw in ("refused", "malformed") else list(writing.segments)
    text = "".join(segment.text for segment in segments)
    if writing.flaw == "cut":
        text = "".join(split_sentences(text)[:-1])
    if not text.strip() or NO_ANSWER in text:
        return Result(flaw=writing.flaw, calls=[writing.call])
    citations = _citations(segments, len(text), passages, blocks)
    if task.mode == "grounded":
        text, citations = _mark_uncited(text, citations)
    return Result(answer=text, citations=citations, found=True, flaw=writing.flaw, calls=[writing.call])


def _fields(task: Task) -> dict[str, Any]:
    fields: dict[str, Any] = {"task": "repair" if task.failed_claims else task.mode, "question": task.question}
    if task.failed_claims:
        fields |= {"draft": task.draft, "failed_claims": task.failed_claims}
    if task.previous.answer:
        fields["previous"] = task.previous.model_dump()
    return fields


def _citations(
    segments: Sequence[Segment], length: int, passages: Sequence[Passage], blocks: Sequence[Sequence[str]]
) -> list[Citation]:
    found: list[Citation] = []
    start = 0
    for segment in segments:
        end = min(start + len(segment.text), length)
        for cited in segment.citations:
            if not 0 <= cited.source < len(passages) or start >= end:
                continue
            passage = passages[cited.source]
            quote = "".join(blocks[cited.source][cited.start_block : cited.end_block]).strip()
            if quote:
                found.append(
                    Citation(
                        passage_id=passage.passage_id,
                        document=passage.document,
                        quote=quote,
                        answer_span=(start, end),
                        heading=passage.heading,
                        page=passage.page,
                    )
                )
        start += len(segment.text)
    return found


def _mark_uncited(text: str, citations: Sequence[Citation]) -> tuple[str, list[Citation]]:
    """Put a mark behind every sentence that no citation touches, and move the spans along."""
    marks: list[int] = []
    start = 0
    for sentence in split_sentences(text):
        words = start, start + len(sentence.rstrip())
        touched = any(c.answer_span[0] < words[1] and c.answer_span[1] > words[0] for c in citations)
        if not touched and re.search(r"\w", sentence):
            marks.append(words[1])
        start += len(sentence)
    pieces = [text[a:b] for a, b in zip([0, *marks], [*marks, len(text)], strict=True)]
    marked = f" {UNCITED}".join(pieces)

    def moved(position: int, inclusive: bool) -> int:
        passed = sum(1 for mark in marks if mark < position or (inclusive and mark == position))
        return position + passed * (len(UNCITED) + 1)

    spans = [(moved(c.answer_span[0], True), moved(c.answer_span[1], False)) for c in citations]
    return marked, [c.model_copy(update={"answer_span": span}) for c, span in zip(citations, spans, strict=True)]
