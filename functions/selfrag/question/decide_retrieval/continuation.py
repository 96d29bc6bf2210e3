"""Retrieve within an answer that grows by segments: how it goes on (arXiv 2310.11511, algorithm 1)."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from selfrag.domain.verdicts import RetrievalVerdict
from selfrag.ports.grading import Grader
from selfrag.question.decide_retrieval.logic import Result, Task


class Next(BaseModel):
    """The shape of the model's verdict."""

    # The title names the step to a reader of the request.
    model_config = ConfigDict(title="Retrieval")

    reason: str
    decision: Literal["yes", "no", "continue", "complete"]


def decide_next(task: Task, grader: Grader) -> Result:
    """Return the verdict; an ungraded one stays ungraded, which means a search."""
    fields = {"question": task.question, "previous": task.previous.model_dump(), "so_far": task.so_far}
    found = grader.grade(fields, Next)
    if found.verdict is None:
        verdict = RetrievalVerdict(decision="ungraded", reason=f"the verdict was {found.flaw}")
    else:
        verdict = RetrievalVerdict(**found.verdict.model_dump(), judged_by=grader.judged_by)
    return Result(verdict=verdict, cached=found.cached, **found.took)
