"""Correctness by meaning: whether an answer says what a right answer says, in whatever words."""

from typing import Literal

from pydantic import BaseModel

from selfrag.domain.base import Model
from selfrag.domain.calls import Limits, StepResult
from selfrag.domain.verdicts import JudgedBy
from selfrag.judging.graders import Grader

STEP = "grade_correctness"
Says = Literal["yes", "partly", "no"]


class CorrectnessTask(Limits):
    """The question, its right answers, each of which is enough, the facts that all belong to one, and the answer."""

    question: str
    right: list[str]
    facts: list[str] = []
    answer: str


class Correctness(BaseModel):
    """The shape of the model's verdict."""

    reason: str
    says: Says


class CorrectnessVerdict(Model):
    """Correctness of an answer; null is ungraded."""

    says: Says | None
    reason: str = ""
    cached: bool = False
    judged_by: JudgedBy = "model"


class CorrectnessResult(StepResult):
    """The verdict and its cost."""

    verdict: CorrectnessVerdict


def grade(task: CorrectnessTask, grader: Grader) -> CorrectnessResult:
    """Return whether the answer says what a right one says, and why."""
    reply = grader.grade(task.model_dump(include={"question", "right", "facts", "answer"}), Correctness)
    if reply.verdict is None:
        return CorrectnessResult(
            verdict=CorrectnessVerdict(says=None, reason=f"the verdict was {reply.flaw}"), **reply.usage
        )
    verdict = CorrectnessVerdict(
        says=reply.verdict.says, reason=reply.verdict.reason, cached=reply.cached, judged_by=grader.judged_by
    )
    return CorrectnessResult(verdict=verdict, **reply.usage)
