"""The answer: from passages with citations, from the model alone, repaired, its next sentence, or an option."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from pydantic import BaseModel

from selfrag.domain.citations import citation_of
from selfrag.domain.errors import SelfragError
from selfrag.domain.passages import Evidence
from selfrag.domain.steps import GenerateResult, GenerateTask
from selfrag.ports.model import Claude, ModelText, Prompt, Source
from selfrag.question.generate.annotations import mark_uncited, read
from selfrag.question.generate.citations import citations_of, source_of
from selfrag.text.sentences import split_sentences
from selfrag.text.words import words_of

# The sections of other tasks that a task's section of prompt.md refers to.
_FURTHER_SECTIONS = {"repair": ("grounded",), "segment": ("grounded", "direct")}


class Choice(BaseModel):
    """The number of an option of a closed set, from 1; 0 is none of them (arXiv 2310.11511, B.2).

    A number, so that one schema serves every question. A schema that named the options would differ for each question:
    the service prepares each schema before its first use, and the caller's words would stand among the instructions.
    """

    option: Literal[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]


def generate(task: GenerateTask, claude: Claude, prompt: Prompt) -> GenerateResult:
    """Write the answer, map citations to passages, and mark uncited sentences.

    A truncated answer keeps its complete sentences; refused or empty replies are no answer. A segment keeps its first
    sentence and is marked when segments are joined.
    """
    prompt = prompt_for("choose" if task.choices else _task_name(task), prompt)
    passages = [] if task.mode == "direct" else task.passages
    passages = [passage.replace(strips=task.strips.get(passage.passage_id) or passage.strips) for passage in passages]
    if task.choices:
        return _choose(task, passages, claude, prompt)
    writing = _write_prose(claude, prompt, [source_of(passage) for passage in passages], _fields(task))
    segments = [] if writing.flaw in ("refused", "malformed") else list(writing.segments)
    text = "".join(segment.text for segment in segments)
    if writing.flaw == "cut":
        text = "".join(split_sentences(text)[:-1])
    unanswered = read(text, segments, citations_of(segments, len(text), passages)).unanswered
    flaw = writing.flaw
    if task.mode == "segment":
        text = "".join(split_sentences(text)[:1]).rstrip()
        # The cut is after a complete sentence.
        flaw = None if text else flaw
    citations = citations_of(segments, len(text), passages)
    reading = read(text, segments, citations)
    if unanswered or not reading.says_something:
        return GenerateResult(**writing.usage)
    grounded = task.mode == "grounded"
    text, citations = mark_uncited(
        reading, citations, {passage.passage_id: passage.text for passage in passages}, grounded=grounded
    )
    return GenerateResult(
        answer=text,
        citations=citations,
        answered=True,
        not_said=reading.not_said if grounded else [],
        missing=reading.search_phrases if grounded else [],
        word_sources=_word_sources(reading.text, task.question, passages) if grounded else [],
        **{**writing.usage, "flaw": flaw},
    )


def _choose(task: GenerateTask, passages: Sequence[Evidence], claude: Claude, prompt: Prompt) -> GenerateResult:
    """Return the chosen option with its passages, or nothing for an unknown number (B.2)."""
    fields = {
        **_fields(task),
        "task": "choose",
        "options": [{"option": number, "text": text} for number, text in enumerate(task.choices, start=1)],
        "passages": [passage.quoted() for passage in passages],
    }
    judgement = claude.judge("generate", prompt, fields, Choice)
    option = judgement.verdict.option if judgement.verdict else 0
    answer = task.choices[option - 1] if 1 <= option <= len(task.choices) else ""
    # An option is chosen, not quoted.
    citations = [citation_of(passage, 0, 0, (0, len(answer))) for passage in passages] if answer else []
    return GenerateResult(answer=answer, citations=citations, answered=bool(answer), **judgement.usage)


def _task_name(task: GenerateTask) -> str:
    return "repair" if task.failed_claims else task.mode


def prompt_for(name: str, prompt: Prompt) -> Prompt:
    """Leave out the prompt's sections for other tasks: they would be paid for with every answer."""
    needed = {name, *_FURTHER_SECTIONS.get(name, ())}
    sections = {section: re.match(r"### The task (\w+)", section) for section in re.split(r"(?m)^(?=##)", prompt.text)}
    return replace(prompt, text="".join(s for s, heading in sections.items() if not heading or heading[1] in needed))


def _fields(task: GenerateTask) -> dict[str, object]:
    fields: dict[str, object] = {
        "task": _task_name(task),
        "question": task.question,
        "previous": task.previous.model_dump(),
        **task.date_fields,
    }
    if task.mode == "segment":
        fields["so_far"] = task.so_far
    return fields | {"draft": task.draft, "failed_claims": task.failed_claims} if task.failed_claims else fields


def _write_prose(claude: Claude, prompt: Prompt, sources: Sequence[Source], fields: Mapping[str, object]) -> ModelText:
    """Return the model's text, malformed if two replies are data; without sources any form is accepted.

    A document may describe an output format that a model obeys. The second request points out the wrong form.
    """
    first = claude.write("generate", prompt, sources, fields)
    if first.flaw or not sources or not _is_data(_text(first)):
        return first
    try:
        second = claude.write("generate", prompt, sources, {**fields, "wrong_form": True})
    except SelfragError as error:
        # The first reply is paid for but unusable.
        return replace(first, segments=(), flaw="malformed", error=type(error).__name__, cause=str(error))
    flaw = "malformed" if not second.flaw and _is_data(_text(second)) else second.flaw
    return replace(
        second,
        flaw=flaw,
        attempts=first.attempts + second.attempts,
        throttled=first.throttled or second.throttled,
        warnings=tuple(dict.fromkeys([*first.warnings, *second.warnings])),
        earlier=(*first.earlier, *([first.call] if first.call else []), *second.earlier),
    )


def _is_data(text: str) -> bool:
    """Return whether the whole text is JSON or a code fence."""
    text = text.strip()
    if text.startswith("```") and text.endswith("```"):
        return True
    if text[:1] not in ("{", "["):
        return False
    try:
        return isinstance(json.loads(text), dict | list)
    except ValueError:
        return False


def _text(writing: ModelText) -> str:
    return "".join(segment.text for segment in writing.segments)


def _word_sources(answer: str, question: str, passages: Sequence[Evidence]) -> list[list[str]]:
    """Return the passages that contain each word of an answer that is not in the question.

    Supersets are dropped: if a word's passages include another word's, only the smaller set matters. Words without a
    passage are the writer's.
    """
    # As sent to the writer, with document name, title and date.
    sources = {passage.passage_id: source_of(passage) for passage in passages}
    held = {name: words_of(" ".join([each.name, each.title, "".join(each.blocks)])) for name, each in sources.items()}
    own = words_of(answer) - words_of(question)
    holders = {frozenset(name for name, words in held.items() if word in words) for word in own} - {frozenset()}
    return sorted(sorted(names) for names in holders if not any(other < names for other in holders))
