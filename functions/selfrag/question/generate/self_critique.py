"""Answers of the fine-tuned model with the critique that it writes along: one request for all of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from selfrag.domain.answers import Citation
from selfrag.domain.errors import RequestRejected
from selfrag.domain.passages import Evidence
from selfrag.domain.scores.critiqued import CritiquedAnswer, Segment
from selfrag.domain.scores.generated import CritiqueReading, GeneratedText, Unproven, read
from selfrag.domain.scores.judging import next_of, ungraded, verdicts_of
from selfrag.domain.scores.prompts import (
    NO_RETRIEVAL,
    asking,
    option_named,
    room_in,
    tokens_in,
    unmarked,
    with_passage,
    without_passage,
)
from selfrag.domain.scores.tokens import RETRIEVE, words_of
from selfrag.domain.steps import Branch, SelfragTextsResult, SelfragTextsTask
from selfrag.ports.generator import Generator
from selfrag.ports.model import CitedBlocks, TextBlock
from selfrag.question.generate.citations import citations_of, source_of
from selfrag.text.likeness import most_like
from selfrag.text.sentences import split_sentences

STEP = "generate"
# New tokens: of an open answer and of a closed set's (the paper's B.2), of a segment, and of a direct answer.
OPEN, CLOSED, SEGMENT, DIRECT = 100, 50, 200, 200
NO_ROOM = "the prompt has no room for its passage"
# A title says where a passage is from; a longer one would take the passage's place.
TITLE_CHARACTERS = 200


@dataclass(frozen=True)
class TextRequest:
    """A text to write: its prompt ("" without room for its passage), its passage, and the part that the prompt shows.

    `branch` is the branch that a segment belongs to.
    """

    prompt: str
    passage: Evidence | None
    shown: tuple[str, ...] = ()
    branch: Branch | None = None


def critique(task: SelfragTextsTask, generator: Generator) -> SelfragTextsResult:
    """Write all texts in one request; a text that cannot be graded is `ungraded`, and the others stand.

    Raises RequestRejected for a question that leaves no room in the model.
    """
    requests, max_tokens = _requests(task)
    prompts = [request.prompt for request in requests if request.prompt]
    if not prompts:
        return SelfragTextsResult(written=[_flawed(request, NO_ROOM) for request in requests])
    stops = generator.vocabulary.of(RETRIEVE) if task.mode == "segments" else ()
    completed = generator.complete(STEP, prompts, max_tokens, stops=stops)
    texts = iter(completed.written)
    written = [_written(task, request, next(texts) if request.prompt else None, generator) for request in requests]
    usage = completed.usage
    usage["warnings"] += _warnings(written)
    return SelfragTextsResult(written=written, **usage)


def _requests(task: SelfragTextsTask) -> tuple[list[TextRequest], int]:
    """Return the texts to write, and the most tokens of each."""
    begun = asking(task.question, task.previous, task.choices)
    if task.mode == "segments":
        passages = {passage.passage_id: passage for passage in task.passages}
        return [
            presented(begun, passages[branch.passage_id] if branch.passage_id else None, SEGMENT, branch)
            for branch in task.branches
        ], SEGMENT
    most = CLOSED if task.choices else OPEN if task.mode == "candidates" else DIRECT
    sources = task.passages if task.mode == "candidates" else [None]
    return [presented(begun, passage, most) for passage in sources], most


def _written(
    task: SelfragTextsTask, request: TextRequest, generated: GeneratedText | None, generator: Generator
) -> CritiquedAnswer:
    try:
        if generated is None:
            raise Unproven("nothing that can be read was written for it" if request.prompt else NO_ROOM)
        through = task.mode == "direct"
        reading = read(generated, generator.vocabulary, grounded=request.passage is not None, through=through)
        verdicts = verdicts_of(reading, request.passage, generator.model)
    except Unproven as why:
        return _flawed(request, str(why))
    text = _text(task, reading)
    fields: dict[str, Any] = {
        "passage_id": request.passage.passage_id if request.passage else None,
        "answer": text,
        "citations": quoted(text, request.passage, request.shown) if request.passage else [],
        "cut": reading.cut or (through and reading.wished),
        **{name: getattr(verdicts, name) for name in type(verdicts).model_fields},
    }
    if request.branch is None:
        return CritiquedAnswer(**fields)
    return Segment(**fields, **_place(request, reading), next=next_of(reading, task.threshold))


def _flawed(request: TextRequest, why: str) -> CritiquedAnswer:
    """Return the placeholder of an unproven text: without a text and without a verdict."""
    fields: dict[str, Any] = {
        "passage_id": request.passage.passage_id if request.passage else None,
        "relevance": ungraded(request.passage) if request.passage else None,
        "error": why,
    }
    return CritiquedAnswer(**fields) if request.branch is None else Segment(**fields, **_place(request))


def _place(request: TextRequest, reading: CritiqueReading | None = None) -> dict[str, Any]:
    """Return a segment's ids, and its path as the model wrote it, without passages."""
    branch = request.branch or Branch(id="")
    opening = "" if request.passage else NO_RETRIEVAL
    raw = f"{branch.raw}{opening}{reading.raw}" if reading else branch.raw
    return {"id": branch.id, "parent": branch.parent, "raw": raw}


def _text(task: SelfragTextsTask, reading: CritiqueReading) -> str:
    """Return the words of an answer: whole sentences of a cut one, the option of a closed set's."""
    if task.choices:
        return words_of(option_named(reading.words, task.choices))
    if reading.cut and task.mode != "segments":
        return "".join(split_sentences(reading.words)[:-1]).strip()
    return reading.words


def _warnings(written: Sequence[CritiquedAnswer]) -> list[str]:
    truncated = sum(text.terms is not None and text.terms.truncated for text in written)
    errors = [text.error for text in written if text.error]
    warnings = []
    if truncated:
        warnings.append(
            f"{truncated} verdicts rest on a part of their tokens: the model's server lists the likeliest 20."
        )
    if errors:
        warnings.append(f"{len(errors)} texts could not be graded: {'; '.join(dict.fromkeys(errors))}.")
    return warnings


def presented(begun: str, passage: Evidence | None, max_tokens: int, branch: Branch | None = None) -> TextRequest:
    """Return the prompt of a text, after its branch if it has one; a passage that is too long is cut at a sentence.

    Raises RequestRejected for a question that leaves no room for anything.
    """
    if room_in(begun, max_tokens) <= 0:
        raise RequestRejected("the question is too long for the fine-tuned model, which reads 2,048 tokens in all")
    begun += branch.raw if branch else ""
    if passage is None:
        prompt = without_passage(begun)
        return TextRequest(prompt if room_in(prompt, max_tokens) >= 0 else "", None, branch=branch)
    title = passage.title[:TITLE_CHARACTERS]
    shown = _fitting(source_of(passage).blocks, room_in(with_passage(begun, title, ""), max_tokens))
    prompt = with_passage(begun, title, "".join(shown).strip()) if shown else ""
    return TextRequest(prompt, passage, shown, branch)


def _fitting(blocks: tuple[str, ...], room: int) -> tuple[str, ...]:
    """Return the first sentences that fit, or the first words of a first sentence that does not."""
    fitting: list[str] = []
    for block in blocks:
        room -= tokens_in(unmarked(block))
        if room < 0:
            break
        fitting.append(block)
    if fitting or not blocks:
        return tuple(fitting)
    room += tokens_in(unmarked(blocks[0]))
    words: list[str] = []
    for word in blocks[0].split():
        room -= tokens_in(unmarked(word)) + 1
        if room < 0:
            break
        words.append(word)
    return (" ".join(words),) if words else ()


def quoted(text: str, passage: Evidence, shown: Sequence[str]) -> list[Citation]:
    """Return the citation of a text, none of an empty text; only text that the model saw is quoted.

    The model names no sentence, so the quote is ours: the sentence that has most in common with the text. It says where
    to look, not what the model looked at.
    """
    if not text or not shown:
        return []
    place = most_like(text, shown)
    return citations_of([TextBlock(text, (CitedBlocks(0, place, place + 1),))], len(text), [passage])
