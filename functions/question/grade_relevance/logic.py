"""IsRel: is this one passage relevant to the question?"""

from typing import Any

from pydantic import BaseModel

from selfrag.domain.answers import Turn
from selfrag.domain.calls import Limits, StepResult
from selfrag.domain.passages import Passage
from selfrag.domain.verdicts import RelevanceVerdict, Score
from selfrag.ports.grading import Grader


class Task(Limits):
    """The question, the turn before it, one passage, and the score from which it is relevant."""

    question: str
    previous: Turn = Turn()
    passage: Passage
    relevance_threshold: float = 0.5


class Relevance(BaseModel):
    """The shape of the model's verdict."""

    reason: str
    score: Score


class Result(StepResult):
    """The verdict and what it cost."""

    verdict: RelevanceVerdict


def grade(task: Task, grader: Grader) -> Result:
    """Ask for the score; a passage is relevant from the threshold up, and never when ungraded."""
    passage = task.passage
    texts: dict[str, Any] = {
        "question": task.question,
        "previous": task.previous.model_dump(),
        "passage": {"document": passage.document, "title": passage.title, "text": passage.text},
    }
    found = grader.grade(texts, Relevance)
    if found.verdict is None:
        verdict = RelevanceVerdict(
            passage_id=passage.passage_id, document=passage.document, relevant=False, score=None, label="ungraded"
        )
    else:
        relevant = found.verdict.score >= task.relevance_threshold
        verdict = RelevanceVerdict(
            passage_id=passage.passage_id,
            document=passage.document,
            relevant=relevant,
            score=found.verdict.score,
            label="relevant" if relevant else "irrelevant",
            cached=found.cached,
        )
    return Result(verdict=verdict, **found.took)
