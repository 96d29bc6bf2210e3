"""IsRel: the relevance of one passage to the question and, where the task asks for it, of its strips."""

from typing import Any

from pydantic import BaseModel, ConfigDict

from selfrag.domain.answers import Turn
from selfrag.domain.calls import Limits, StepResult
from selfrag.domain.passages import Passage, Strip
from selfrag.domain.verdicts import RelevanceLabel, RelevanceVerdict, Score
from selfrag.ports.grading import Grader
from selfrag.question.grade_relevance.strips import good, strips_of

# The state holds a reason for each passage, up to 70 of them.
MOST_REASON_CHARACTERS, MOST_REASON_BYTES = 200, 300


class Task(Limits):
    """The question, the turn before it, one passage, and the lowest score of a relevant one.

    With a `lower_threshold` a passage may be ambiguous, and its strips are judged as well (CRAG, arXiv 2401.15884).
    """

    question: str
    previous: Turn = Turn()
    passage: Passage
    relevance_threshold: float = 0.5
    lower_threshold: float | None = None


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

    # The same verdict with one more field; the title names the step to a reader of the request.
    model_config = ConfigDict(title="Relevance")

    strips: list[JudgedStrip]


class Result(StepResult):
    """The verdict and its cost."""

    verdict: RelevanceVerdict


def grade(task: Task, grader: Grader) -> Result:
    """Return the verdict; a passage is relevant from the threshold up, and never when ungraded.

    Strips are kept that reach the threshold which their passage reaches.
    """
    passage = task.passage
    strips = [] if task.lower_threshold is None else strips_of(passage)
    found = grader.grade(_texts(task, strips), RelevanceOfStrips if strips else Relevance)
    if found.verdict is None:
        verdict = RelevanceVerdict(
            passage_id=passage.passage_id, document=passage.document, relevant=False, score=None, label="ungraded"
        )
    else:
        label, threshold = _label(task, found.verdict.score)
        judged = found.verdict.strips if isinstance(found.verdict, RelevanceOfStrips) else []
        verdict = RelevanceVerdict(
            passage_id=passage.passage_id,
            document=passage.document,
            relevant=label == "relevant",
            score=found.verdict.score,
            label=label,
            cached=found.cached,
            reason=_shortened(found.verdict.reason),
            strips=good(strips, {one.strip: one.score for one in judged}, threshold) if label != "irrelevant" else [],
            judged_by=grader.judged_by,
        )
    return Result(verdict=verdict, **found.took)


def _texts(task: Task, strips: list[Strip]) -> dict[str, Any]:
    passage = task.passage
    texts: dict[str, Any] = {
        "question": task.question,
        "previous": task.previous.model_dump(),
        "passage": passage.quoted(),
    }
    if strips:
        texts["strips"] = [
            {"strip": number, "text": passage.text[strip.start : strip.end]}
            for number, strip in enumerate(strips, start=1)
        ]
    return texts


def _shortened(reason: str) -> str:
    """Return a reason on one line, cut if it is long."""
    line = " ".join(reason.split())[:MOST_REASON_CHARACTERS]
    return line.encode(errors="ignore")[:MOST_REASON_BYTES].decode(errors="ignore")


def _label(task: Task, score: float) -> tuple[RelevanceLabel, float]:
    """Return the label of a score, and the threshold that the passage's strips must reach, too."""
    if score >= task.relevance_threshold:
        return "relevant", task.relevance_threshold
    if task.lower_threshold is not None and score >= task.lower_threshold:
        return "ambiguous", task.lower_threshold
    return "irrelevant", task.relevance_threshold
