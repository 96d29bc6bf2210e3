"""IsRel: is this one passage relevant to the question?"""

from typing import Any, Literal

from pydantic import BaseModel

from selfrag.domain.calls import StepResult
from selfrag.domain.passages import Passage
from selfrag.domain.verdicts import RelevanceVerdict, Score
from selfrag.ports.grading import Grader


class Task(BaseModel):
    """The question, the one before it if it is a follow-up, one passage, and the score from which it is relevant."""

    question: str
    previous_question: str = ""
    passage: Passage
    threshold: float = 0.5
    deadline_ms: float | None = None


class Relevance(BaseModel):
    """The shape of the model's verdict."""

    reason: str
    label: Literal["relevant", "irrelevant"]
    score: Score


class Result(StepResult):
    """The verdict and what it cost."""

    verdict: RelevanceVerdict


def grade(task: Task, grader: Grader) -> Result:
    """Ask for label and score; a passage is relevant only if both say so, and never when ungraded."""
    passage = task.passage
    texts: dict[str, Any] = {
        "question": task.question,
        "passage": {"document": passage.document, "title": passage.title, "text": passage.text},
    }
    if task.previous_question:
        texts["previous_question"] = task.previous_question
    found = grader.grade(texts, Relevance)
    if found.verdict is None:
        verdict = RelevanceVerdict(passage_id=passage.passage_id, relevant=False, score=None, label="ungraded")
    else:
        verdict = RelevanceVerdict(
            passage_id=passage.passage_id,
            relevant=found.verdict.label == "relevant" and found.verdict.score >= task.threshold,
            score=found.verdict.score,
            label=found.verdict.label,
            cached=found.cached,
        )
    return Result(verdict=verdict, calls=found.calls, warnings=found.warnings)
