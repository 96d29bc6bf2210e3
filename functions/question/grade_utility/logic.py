"""IsUse: how useful is the answer to the asker, from 1 to 5?"""

from typing import Literal

from pydantic import BaseModel

from selfrag.domain.calls import StepResult
from selfrag.domain.verdicts import UtilityVerdict
from selfrag.ports.grading import Grader


class Task(BaseModel):
    """The question, the one before it if it is a follow-up, and the answer to judge."""

    question: str
    answer: str
    previous_question: str = ""
    deadline_ms: float | None = None


class Utility(BaseModel):
    """The shape of the model's verdict."""

    reason: str
    score: Literal[1, 2, 3, 4, 5]


class Result(StepResult):
    """The verdict and what it cost."""

    verdict: UtilityVerdict


def grade(task: Task, grader: Grader) -> Result:
    """Ask for the score and its reason."""
    texts = {"question": task.question, "answer": task.answer}
    if task.previous_question:
        texts["previous_question"] = task.previous_question
    found = grader.grade(texts, Utility)
    if found.verdict is None:
        verdict = UtilityVerdict(score=None, reason=f"the verdict was {found.flaw}")
    else:
        verdict = UtilityVerdict(score=found.verdict.score, reason=found.verdict.reason, cached=found.cached)
    return Result(verdict=verdict, calls=found.calls, warnings=found.warnings)
