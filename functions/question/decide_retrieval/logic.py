"""Retrieve: decide whether the question needs a search (Self-RAG, arXiv 2310.11511, table 1)."""

from typing import Literal

from pydantic import BaseModel

from selfrag.domain.answers import Turn
from selfrag.domain.calls import Limits, StepResult
from selfrag.domain.verdicts import RetrievalVerdict
from selfrag.ports.grading import Grader


class Task(Limits):
    """The question, and the turn before it."""

    question: str
    previous: Turn = Turn()


class Retrieval(BaseModel):
    """The shape of the model's verdict."""

    reason: str
    decision: Literal["yes", "no", "continue"]


class Result(StepResult):
    """The verdict and what it cost; one that is `cached` was given before."""

    verdict: RetrievalVerdict
    cached: bool = False


def decide(task: Task, grader: Grader) -> Result:
    """Ask for the verdict; `continue` without an earlier turn becomes `yes`, an ungraded one stays ungraded."""
    grade = grader.grade({"question": task.question, "previous": task.previous.model_dump()}, Retrieval)
    if grade.verdict is None:
        verdict = RetrievalVerdict(decision="ungraded", reason=f"the verdict was {grade.flaw}")
    elif grade.verdict.decision == "continue" and not task.previous.answer:
        verdict = RetrievalVerdict(decision="yes", reason="there is no earlier evidence to continue from")
    else:
        verdict = RetrievalVerdict(**grade.verdict.model_dump())
    return Result(verdict=verdict, cached=grade.cached, **grade.took)
