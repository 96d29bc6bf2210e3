"""Retrieve: the decision whether a question needs a search (Self-RAG, arXiv 2310.11511, table 1).

Where the task asks for it, also whether one search will do (Adaptive-RAG, arXiv 2403.14403, section 3.2).
"""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from selfrag.domain.answers import Turn
from selfrag.domain.calls import Limits, StepResult
from selfrag.domain.fields import MAX_QUERY_CHARACTERS
from selfrag.domain.verdicts import Complexity, JudgedBy, RetrievalVerdict
from selfrag.ports.grading import Grader


class Task(Limits):
    """The question, the turn before it, and whether to judge its complexity as well.

    `so_far` is an answer that grows by segments, "" before it begins.
    """

    question: str
    previous: Turn = Turn()
    complexity: bool = False
    so_far: str = ""


def require_all(schema: dict[str, Any]) -> None:
    """Make every field of a schema required, whatever its default."""
    schema["required"] = list(schema["properties"])


class Retrieval(BaseModel):
    """The shape of the model's verdict."""

    # The schema requires every field, though a verdict without `aggregate` can be read.
    model_config = ConfigDict(json_schema_extra=require_all)

    reason: str
    decision: Literal["yes", "no", "continue"]
    aggregate: bool = False


class RetrievalAndComplexity(Retrieval):
    """The shape of the verdict where the complexity is asked for."""

    # The same verdict with one more field; the title names the step to a reader of the request.
    model_config = ConfigDict(title="Retrieval", json_schema_extra=require_all)

    complexity: Complexity


class RetrievalOfFollowUp(Retrieval):
    """The shape of the verdict on a follow-up: `query` is what to search for, in words that stand alone."""

    model_config = ConfigDict(title="Retrieval", json_schema_extra=require_all)

    query: str


class RetrievalOfFollowUpAndComplexity(RetrievalOfFollowUp, RetrievalAndComplexity):
    """The shape of the verdict on a follow-up where the complexity is asked for, too."""


class Result(StepResult):
    """The verdict and its cost; `cached` marks a cache hit."""

    verdict: RetrievalVerdict
    cached: bool = False


def decide(task: Task, grader: Grader) -> Result:
    """Return the verdict; `continue` without an earlier turn becomes `yes`, an ungraded one stays ungraded.

    Only a question that is searched for is simple or complex.
    """
    fields = {"question": task.question, "previous": task.previous.model_dump()}
    grade = grader.grade(fields, _SHAPES[bool(task.previous.answer), task.complexity])
    if grade.verdict is None:
        verdict = RetrievalVerdict(decision="ungraded", reason=f"the verdict was {grade.flaw}")
    elif grade.verdict.decision == "continue" and not task.previous.answer:
        verdict = RetrievalVerdict(
            decision="yes", reason="there is no earlier evidence to continue from", judged_by=grader.judged_by
        )
    else:
        verdict = _verdict(grade.verdict, grader.judged_by)
    return Result(verdict=verdict, cached=grade.cached, **grade.took)


_SHAPES: dict[tuple[bool, bool], type[Retrieval]] = {
    (False, False): Retrieval,
    (False, True): RetrievalAndComplexity,
    (True, False): RetrievalOfFollowUp,
    (True, True): RetrievalOfFollowUpAndComplexity,
}


def _verdict(found: Retrieval, judged_by: JudgedBy) -> RetrievalVerdict:
    """Return the verdict, with a complexity only if there is a search; a query is kept for a later search."""
    said = found.model_dump(exclude=None if found.decision == "yes" else {"complexity"})
    if "query" in said:
        said["query"] = " ".join(said["query"].split())[:MAX_QUERY_CHARACTERS]
    return RetrievalVerdict(**said, judged_by=judged_by)
