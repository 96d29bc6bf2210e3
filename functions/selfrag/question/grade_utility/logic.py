"""IsUse: the usefulness of the answer to the asker, from 1 to 5."""

from typing import Literal

from pydantic import BaseModel

from selfrag.domain.answers import Turn
from selfrag.domain.calls import Limits, StepResult
from selfrag.domain.verdicts import UtilityVerdict
from selfrag.ports.grading import Grader


class Task(Limits):
    """The question, the turn before it, and the answer to judge."""

    question: str
    previous: Turn = Turn()
    answer: str


class Utility(BaseModel):
    """The shape of the model's verdict."""

    reason: str
    score: Literal[1, 2, 3, 4, 5]


class Result(StepResult):
    """The verdict and its cost."""

    verdict: UtilityVerdict


def grade(task: Task, grader: Grader) -> Result:
    """Return the score and its reason."""
    texts = {"question": task.question, "previous": task.previous.model_dump(), "answer": task.answer}
    found = grader.grade(texts, Utility)
    if found.verdict is None:
        verdict = UtilityVerdict(score=None, reason=f"the verdict was {found.flaw}")
    else:
        verdict = UtilityVerdict(
            score=found.verdict.score, reason=found.verdict.reason, cached=found.cached, judged_by=grader.judged_by
        )
    return Result(verdict=verdict, **found.took)
