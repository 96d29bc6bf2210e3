"""The answer: from passages with citations, from the model alone, or an answer repaired."""

from collections.abc import Sequence
from typing import Any, Literal

from question.generate.marks import marked, says_something
from selfrag.domain.answers import Citation, Turn
from selfrag.domain.calls import Limits, StepResult
from selfrag.domain.passages import Passage
from selfrag.ports.model import Claude, Flaw, Segment, Source
from selfrag.ports.prompts import Prompt
from selfrag.text.sentences import split_sentences

# What prompt.md tells the model to write when the passages do not hold the answer. It never reaches a caller.
NO_ANSWER = "NO_ANSWER"


class Task(Limits):
    """The question and its evidence; `draft` and `failed_claims` are set when an answer is to be repaired."""

    question: str
    mode: Literal["grounded", "direct"] = "grounded"
    passages: list[Passage] = []
    draft: str = ""
    failed_claims: list[str] = []
    previous: Turn = Turn()


class Result(StepResult):
    """The answer and its citations; `found` is false when there is no answer, and `flaw` says if the reply was bad.

    One that is `cached` was written before from the same.
    """

    answer: str = ""
    citations: list[Citation] = []
    found: bool = False
    flaw: Flaw | None = None
    cached: bool = False


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
    if NO_ANSWER in text or not says_something(text):
        return Result(flaw=writing.flaw, cached=writing.cached, **writing.took)
    citations = _citations(segments, len(text), passages, blocks)
    text, citations = marked(text, citations, grounded=task.mode == "grounded")
    return Result(
        answer=text, citations=citations, found=True, flaw=writing.flaw, cached=writing.cached, **writing.took
    )


def _fields(task: Task) -> dict[str, Any]:
    fields = {
        "task": "repair" if task.failed_claims else task.mode,
        "question": task.question,
        "previous": task.previous.model_dump(),
    }
    return fields | {"draft": task.draft, "failed_claims": task.failed_claims} if task.failed_claims else fields


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
