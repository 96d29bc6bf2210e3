"""Answers of the fine-tuned model with the critique that it writes along: one request for all of them."""

from typing import Any, Literal

from pydantic import BaseModel, SerializeAsAny

from selfrag.domain.answers import Turn
from selfrag.domain.calls import Limits, StepResult
from selfrag.domain.passages import Evidence
from selfrag.domain.scores.critiqued import Critiqued, Segment
from selfrag.domain.scores.generated import Generated, Reading, Unproven, read
from selfrag.domain.scores.judging import next_of, ungraded, verdicts_of
from selfrag.domain.scores.prompts import NO_RETRIEVAL, asking, option_named
from selfrag.domain.scores.tokens import RETRIEVE, words_of
from selfrag.ports.generator import Generator
from selfrag.question.generate.passage_prompts import Wanted, presented
from selfrag.question.generate.quotes import quoted
from selfrag.text.sentences import split_sentences

STEP = "generate"
# New tokens: of an open answer and of a closed set's (the paper's B.2), of a segment, and of a direct answer.
OPEN, CLOSED, SEGMENT, DIRECT = 100, 50, 200, 200
NO_ROOM = "the prompt has no room for its passage"


class Branch(BaseModel):
    """A segment to write after `told`, from a passage or without one; `continues` stays with the passage before.

    `told` is the path with its critique tokens, `bare` without them.
    """

    id: str
    parent: str = ""
    told: str = ""
    bare: str = ""
    passage_id: str | None = None
    continues: bool = False


class Task(Limits):
    """The question and the texts to write: an answer per passage, a segment per branch, or one without a passage.

    `threshold` is for the decision at the end of a segment; null follows the sampled token.
    """

    generator: Literal["selfrag"]
    mode: Literal["candidates", "segments", "direct"]
    question: str
    previous: Turn = Turn()
    passages: list[Evidence] = []
    choices: list[str] = []
    threshold: float | None = 0.2
    branches: list[Branch] = []


class Result(StepResult):
    """The texts in the order of the task, and how many of them the model was asked for."""

    written: list[SerializeAsAny[Critiqued]]
    sequences: int = 0


def critique(task: Task, generator: Generator) -> Result:
    """Write all texts in one request; a text that cannot be graded is `ungraded`, and the others stand.

    Raises RequestRejected for a question that leaves no room in the model.
    """
    wanted, max_tokens = _wanted(task)
    asked = [one for one in wanted if one.prompt]
    if not asked:
        return Result(written=[_flawed(one, NO_ROOM) for one in wanted])
    stops = generator.vocabulary.of(RETRIEVE) if task.mode == "segments" else ()
    completed = generator.complete(STEP, [one.prompt for one in asked], max_tokens, stops=stops)
    found = iter(completed.written)
    written = [_written(task, one, next(found) if one.prompt else None, generator) for one in wanted]
    took = {**completed.took, "warnings": [*completed.warnings, *_warnings(written)]}
    return Result(written=written, sequences=completed.sequences, **took)


def _wanted(task: Task) -> tuple[list[Wanted], int]:
    """Return the texts to write, and the most tokens of each."""
    begun = asking(task.question, task.previous, task.choices)
    if task.mode == "segments":
        known = {passage.passage_id: passage for passage in task.passages}
        sources = [known[one.passage_id] if one.passage_id else None for one in task.branches]
        told = zip(sources, task.branches, strict=True)
        return [presented(begun, passage, SEGMENT, one.told, one) for passage, one in told], SEGMENT
    most = CLOSED if task.choices else OPEN if task.mode == "candidates" else DIRECT
    passages = task.passages if task.mode == "candidates" else [None]
    return [presented(begun, passage, most) for passage in passages], most


def _written(task: Task, wanted: Wanted, found: Generated | None, generator: Generator) -> Critiqued:
    try:
        if found is None:
            raise Unproven("nothing that can be read was written for it" if wanted.prompt else NO_ROOM)
        through = task.mode == "direct"
        reading = read(found, generator.vocabulary, grounded=wanted.passage is not None, through=through)
        verdicts = verdicts_of(reading, wanted.passage, generator.model)
    except Unproven as why:
        return _flawed(wanted, str(why))
    text = _text(task, reading)
    told: dict[str, Any] = {
        "passage_id": wanted.passage.passage_id if wanted.passage else None,
        "answer": text,
        "citations": quoted(text, wanted.passage, wanted.shown) if wanted.passage else [],
        "cut": reading.cut or (through and reading.wished),
        **{name: getattr(verdicts, name) for name in type(verdicts).model_fields},
    }
    if wanted.branch is None:
        return Critiqued(**told)
    return Segment(**told, **_place(wanted, reading), next=next_of(reading, task.threshold))


def _flawed(wanted: Wanted, why: str) -> Critiqued:
    """Return the placeholder of an unproven text: without a text and without a verdict."""
    told: dict[str, Any] = {
        "passage_id": wanted.passage.passage_id if wanted.passage else None,
        "relevance": ungraded(wanted.passage) if wanted.passage else None,
        "error": why,
    }
    return Critiqued(**told) if wanted.branch is None else Segment(**told, **_place(wanted))


def _place(wanted: Wanted, reading: Reading | None = None) -> dict[str, Any]:
    """Return a segment's ids, and its path as the model wrote it, without passages."""
    branch = wanted.branch
    opening = "" if wanted.passage else NO_RETRIEVAL
    told = f"{branch.told}{opening}{reading.told}" if reading else branch.told
    return {"id": branch.id, "parent": branch.parent, "told": told}


def _text(task: Task, reading: Reading) -> str:
    """Return the words of an answer: whole sentences of a cut one, the option of a closed set's."""
    if task.choices:
        return words_of(option_named(reading.words, task.choices))
    if reading.cut and task.mode != "segments":
        return "".join(split_sentences(reading.words)[:-1]).strip()
    return reading.words


def _warnings(written: list[Critiqued]) -> list[str]:
    truncated = sum(one.terms is not None and one.terms.truncated for one in written)
    reasons = "; ".join(dict.fromkeys(one.error for one in written if one.error))
    found = []
    if truncated:
        found.append(f"{truncated} verdicts rest on a part of their tokens: the model's server lists the likeliest 20.")
    if reasons:
        found.append(f"{sum(bool(one.error) for one in written)} texts could not be graded: {reasons}.")
    return found
