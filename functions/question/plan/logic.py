"""Plan: what happens next, and why."""

from typing import Any

from pydantic import BaseModel

from selfrag.plan.passes import Plan
from selfrag.plan.planner import Request, first_pass, next_pass
from selfrag.plan.reports import Report


class Task(Request):
    """The request, what was known at the last plan (empty before the first), and what its steps reported.

    Times are in milliseconds since the epoch.
    """

    known: dict[str, Any] = {}
    results: list[Report] = []
    began_ms: float
    now_ms: float


class Result(BaseModel):
    """The next pass, and what is known now: only what is not as at the beginning, so that the state stays small."""

    plan: Plan
    known: dict[str, Any]


def plan(task: Task) -> Result:
    """Plan the next pass of a question; a plan without steps ends it."""
    if task.known:
        known, following = next_pass(task, task.known, task.results, task.now_ms)
    else:
        known, following = first_pass(task, task.began_ms)
    return Result(plan=following, known=known.model_dump(mode="json", exclude_defaults=True))
