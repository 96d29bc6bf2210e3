"""IsRel: the relevance of a passage to the question and, on request, of its strips."""

import math
from collections.abc import Mapping, Sequence

from pydantic import BaseModel, ConfigDict

from selfrag.domain.decisions import YES
from selfrag.domain.passages import Passage, Strip
from selfrag.domain.steps import GradeRelevanceResult, GradeRelevanceTask
from selfrag.domain.verdicts import RelevanceLabel, RelevanceVerdict, Score, ungraded_relevance
from selfrag.judging.graders import DecisionGrader, Grader
from selfrag.text.sentences import split_around

# The state holds up to 70 reasons.
MAX_REASON_CHARACTERS, MAX_REASON_BYTES = 200, 300

# One reply judges all strips of a passage and must stay short.
MAX_STRIPS = 10
# A passage of at most so many sentences is one strip.
_SENTENCES_OF_ONE = 2


class Relevance(BaseModel):
    """The shape of the model's verdict."""

    reason: str
    score: Score


class JudgedStrip(BaseModel):
    """The score of one strip, by its number from 1."""

    strip: int
    score: Score


class RelevanceOfStrips(Relevance):
    """The shape of the verdict on a passage that came in strips."""

    # Adds one field; the title names the step in requests.
    model_config = ConfigDict(title="Relevance")

    strips: list[JudgedStrip]


def grade(task: GradeRelevanceTask, grader: Grader) -> GradeRelevanceResult:
    """Return the verdict; an ungraded passage is never relevant.

    Strips must reach the same threshold as their passage. Claude judges if the decision model is not conclusive.
    """
    strips = [] if task.lower_threshold is None else strips_of(task.passage)
    decider = grader.decider
    if decider is None:
        return _ask_claude(task, grader, strips)
    decided = _ask_decider(task, decider, strips)
    is_conclusive = grader.is_conclusive(decided.verdict.probability)
    return decided if is_conclusive else _ask_claude(task, grader, strips).add_cost_of(decided)


def _ask_claude(task: GradeRelevanceTask, grader: Grader, strips: list[Strip]) -> GradeRelevanceResult:
    judgement = grader.grade(_texts(task, strips), RelevanceOfStrips if strips else Relevance)
    if judgement.verdict is None:
        verdict = ungraded_relevance(task.passage.passage_id, task.passage.document)
    else:
        judged = judgement.verdict.strips if isinstance(judgement.verdict, RelevanceOfStrips) else []
        verdict = _verdict(task, judgement.verdict.score, strips, {strip.strip: strip.score for strip in judged})
        line = " ".join(judgement.verdict.reason.split())[:MAX_REASON_CHARACTERS]
        reason = line.encode(errors="ignore")[:MAX_REASON_BYTES].decode(errors="ignore")
        verdict = verdict.replace(cached=judgement.cached, reason=reason, **grader.judge_fields)
    return GradeRelevanceResult(verdict=verdict, **judgement.usage)


def _ask_decider(task: GradeRelevanceTask, decider: DecisionGrader, strips: list[Strip]) -> GradeRelevanceResult:
    questions = {"relevant": decider.questions["relevant"]}
    numbers = range(1, len(strips) + 1)
    questions |= {f"strip_{number}": decider.questions["strip"].about(str(number)) for number in numbers}
    decisions = decider.ask(_texts(task, strips), questions)
    if decisions.answers is None:
        verdict = ungraded_relevance(task.passage.passage_id, task.passage.document)
    else:
        probabilities = decisions.answers["relevant"]
        probability = probabilities[YES]
        scores = {number: decisions.answers[f"strip_{number}"][YES] for number in numbers}
        verdict = _verdict(task, probability, strips, scores)
        odds = {"probability": probability, "probabilities": probabilities}
        verdict = verdict.replace(cached=decisions.cached, **odds, **decider.judge_fields)
    return GradeRelevanceResult(verdict=verdict, **decisions.usage)


def _verdict(
    task: GradeRelevanceTask, score: float, strips: Sequence[Strip], scores: Mapping[int, float]
) -> RelevanceVerdict:
    label, threshold = _label(task, score)
    # If no strip, numbered from 1, reaches the threshold, the passage is kept whole.
    good = [strip for number, strip in enumerate(strips, start=1) if scores.get(number, -1.0) >= threshold]
    return RelevanceVerdict(
        passage_id=task.passage.passage_id,
        document=task.passage.document,
        relevant=label == "relevant",
        score=score,
        label=label,
        strips=good if label != "irrelevant" else [],
    )


def _texts(task: GradeRelevanceTask, strips: list[Strip]) -> dict[str, object]:
    passage = task.passage
    texts: dict[str, object] = {
        "question": task.question,
        "previous": task.previous.model_dump(),
        **({"query": task.query} if task.query else {}),
        "passage": passage.quoted(),
    }
    if strips:
        texts["strips"] = [
            {"strip": number, "text": passage.text[strip.start : strip.end]}
            for number, strip in enumerate(strips, start=1)
        ]
    return texts


def _label(task: GradeRelevanceTask, score: float) -> tuple[RelevanceLabel, float]:
    """Return the label of a score and the threshold for the passage's strips."""
    if score >= task.relevance_threshold:
        return "relevant", task.relevance_threshold
    if task.lower_threshold is not None and score >= task.lower_threshold:
        return "ambiguous", task.lower_threshold
    return "irrelevant", task.relevance_threshold


def strips_of(passage: Passage) -> list[Strip]:
    """Split a passage into strips of one sentence (several if it is long) or row; empty for a single strip."""
    pieces = split_around(passage.text, [(row.start, row.end) for row in passage.rows])
    if len(pieces) <= _SENTENCES_OF_ONE:
        return []
    size = math.ceil(len(pieces) / MAX_STRIPS)
    groups = [pieces[first : first + size] for first in range(0, len(pieces), size)]
    return [Strip(start=group[0][0], end=group[-1][1]) for group in groups]
