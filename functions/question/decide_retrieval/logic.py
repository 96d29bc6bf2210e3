"""Retrieve: decide whether the question needs a search (Self-RAG, arXiv 2310.11511, table 1).

And, where that is asked, whether one will do (Adaptive-RAG, arXiv 2403.14403, section 3.2).
"""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from selfrag.domain.answers import Turn
from selfrag.domain.calls import Limits, StepResult
from selfrag.domain.fields import MAX_QUERY_CHARACTERS
from selfrag.domain.verdicts import Complexity, RetrievalVerdict
from selfrag.ports.grading import Grader


class Task(Limits):
    """The question, the turn before it, and whether its complexity is to be judged as well.

    `so_far` is an answer that grows by segments, "" where it has not begun.
    """

    question: str
    previous: Turn = Turn()
    complexity: bool = False
    so_far: str = ""


class Retrieval(BaseModel):
    """The shape of the model's verdict."""

    reason: str
    decision: Literal["yes", "no", "continue"]


class RetrievalAndComplexity(Retrieval):
    """The shape of the verdict where the complexity is asked for."""

    # The same verdict with more in it: the title is what a reader of the request knows the step by.
    model_config = ConfigDict(title="Retrieval")

    complexity: Complexity


class RetrievalOfFollowUp(Retrieval):
    """The shape of the verdict on a follow-up: `query` is what to search for, in words that stand alone."""

    model_config = ConfigDict(title="Retrieval")

    query: str


class RetrievalOfFollowUpAndComplexity(RetrievalOfFollowUp, RetrievalAndComplexity):
    """The shape of the verdict on a follow-up where the complexity is asked for, too."""


class Result(StepResult):
    """The verdict and what it cost; one that is `cached` was given before."""

    verdict: RetrievalVerdict
    cached: bool = False


def decide(task: Task, grader: Grader) -> Result:
    """Ask for the verdict; `continue` without an earlier turn becomes `yes`, an ungraded one stays ungraded.

    Only what is searched for is simple or complex.
    """
    fields = {"question": task.question, "previous": task.previous.model_dump()}
    grade = grader.grade(fields, _SHAPES[bool(task.previous.answer), task.complexity])
    if grade.verdict is None:
        verdict = RetrievalVerdict(decision="ungraded", reason=f"the verdict was {grade.flaw}")
    elif grade.verdict.decision == "continue" and not task.previous.answer:
        verdict = RetrievalVerdict(decision="yes", reason="there is no earlier evidence to continue from")
    else:
        verdict = _verdict(grade.verdict)
    return Result(verdict=verdict, cached=grade.cached, **grade.took)


_SHAPES: dict[tuple[bool, bool], type[Retrieval]] = {
    (False, False): Retrieval,
    (False, True): RetrievalAndComplexity,
    (True, False): RetrievalOfFollowUp,
    (True, True): RetrievalOfFollowUpAndComplexity,
}


def _verdict(found: Retrieval) -> RetrievalVerdict:
    """Return the verdict; only what is searched for is complex. A query is kept for a search that comes later."""
    said = found.model_dump(exclude=None if found.decision == "yes" else {"complexity"})
    if "query" in said:
        said["query"] = " ".join(said["query"].split())[:MAX_QUERY_CHARACTERS]
    return RetrievalVerdict(**said)
