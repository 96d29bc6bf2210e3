"""Plan: the next pass of a question, and its reason."""

from typing import Any

from pydantic import BaseModel

from selfrag.plan.passes import Plan
from selfrag.plan.planner import Request, first_pass, next_pass
from selfrag.plan.reports import Report


class Task(Request):
    """The request, the state after the last plan (empty before the first), and the reports of its steps.

    Times are in milliseconds since the epoch.
    """

    known: dict[str, Any] = {}
    results: list[Report] = []
    began_ms: float
    now_ms: float


class Result(BaseModel):
    """The next pass, and the state; fields at their defaults are left out, so that the state stays small."""

    plan: Plan
    known: dict[str, Any]


def plan(task: Task) -> Result:
    """Return the next pass of a question; a plan without steps ends it."""
    if task.known:
        known, following = next_pass(task, task.known, task.results, task.now_ms)
    else:
        known, following = first_pass(task, task.began_ms)
    return Result(plan=following, known=known.model_dump(mode="json", exclude_defaults=True))
