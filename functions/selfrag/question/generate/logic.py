"""The answer: from passages with citations, from the model alone, repaired, its next sentence, or an option."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import Field

from selfrag.domain.answers import Citation, Turn
from selfrag.domain.calls import Limits, StepResult
from selfrag.domain.passages import Evidence, Strip
from selfrag.ports.model import Claude
from selfrag.ports.prompts import Prompt
from selfrag.question.generate.annotations import marked, read
from selfrag.question.generate.choices import MOST_CHOICES, chosen, named
from selfrag.question.generate.citations import citations_of, source_of
from selfrag.question.generate.prose import write_prose
from selfrag.question.generate.word_sources import word_sources
from selfrag.text.sentences import split_sentences


class Task(Limits):
    """The question and its evidence; `draft` and `failed_claims` are set for a repair.

    `strips` are the parts to use of some passages, by passage id. With `choices`, the answer is one of them. A
    `segment` is the sentence after `so_far`, from a passage, or from the model alone.
    """

    question: str
    mode: Literal["grounded", "direct", "segment"] = "grounded"
    passages: list[Evidence] = []
    strips: dict[str, list[Strip]] = {}
    draft: str = ""
    failed_claims: list[str] = []
    so_far: str = ""
    choices: list[str] = Field(default=[], max_length=MOST_CHOICES)
    previous: Turn = Turn()


class Result(StepResult):
    """The answer and its citations; `found` is false without an answer.

    `not_said` are its sentences on what the passages do not hold, `missing` the writer's phrases to search for that.
    `word_sources` are the passages that its words come from. `cached` marks a cache hit.
    """

    answer: str = ""
    citations: list[Citation] = []
    found: bool = False
    not_said: list[str] = []
    missing: list[str] = []
    word_sources: list[list[str]] = []
    cached: bool = False


def generate(task: Task, claude: Claude, prompt: Prompt) -> Result:
    """Write the answer, map its citations back to passages, and mark what cites nothing.

    A cut answer keeps its whole sentences; a refused or empty one is no answer. A segment keeps its first sentence; the
    caller marks segments when it joins them.
    """
    passages = [] if task.mode == "direct" else [_stripped(one, task.strips) for one in task.passages]
    if task.choices:
        return _choose(task, passages, claude, prompt)
    writing = write_prose(claude, prompt, [source_of(passage) for passage in passages], _fields(task))
    segments = [] if writing.flaw in ("refused", "malformed") else list(writing.segments)
    text = "".join(segment.text for segment in segments)
    if writing.flaw == "cut":
        text = "".join(split_sentences(text)[:-1])
    unanswered = read(text, segments, citations_of(segments, len(text), passages)).unanswered
    flaw = writing.flaw
    if task.mode == "segment":
        text = "".join(split_sentences(text)[:1]).rstrip()
        # The cut comes after a whole sentence.
        flaw = None if text else flaw
    citations = citations_of(segments, len(text), passages)
    reading = read(text, segments, citations)
    if unanswered or not reading.says_something:
        return Result(cached=writing.cached, **writing.took)
    grounded = task.mode == "grounded"
    text, citations = marked(reading, citations, [passage.text for passage in passages], grounded=grounded)
    return Result(
        answer=text,
        citations=citations,
        found=True,
        not_said=reading.not_said if grounded else [],
        missing=reading.missing if grounded else [],
        word_sources=word_sources(reading.text, task.question, passages) if grounded else [],
        cached=writing.cached,
        **{**writing.took, "flaw": flaw},
    )


def _stripped(passage: Evidence, strips: Mapping[str, list[Strip]]) -> Evidence:
    kept = strips.get(passage.passage_id)
    return passage.model_copy(update={"strips": kept}) if kept else passage


def _choose(task: Task, passages: Sequence[Evidence], claude: Claude, prompt: Prompt) -> Result:
    answer, judged = chosen(claude, prompt, _fields(task), task.choices, passages)
    citations = named(passages, answer) if answer else []
    return Result(
        answer=answer,
        citations=citations,
        found=bool(answer),
        cached=judged.cached,
        **judged.took,
    )


def _fields(task: Task) -> dict[str, Any]:
    fields = {
        "task": "repair" if task.failed_claims else task.mode,
        "question": task.question,
        "previous": task.previous.model_dump(),
    }
    if task.mode == "segment":
        fields["so_far"] = task.so_far
    return fields | {"draft": task.draft, "failed_claims": task.failed_claims} if task.failed_claims else fields
