"""Plan: the next pass of a question with its reason."""

from typing import Any

from pydantic import BaseModel

from selfrag.plan.passes import Plan
from selfrag.plan.planner import QuestionRequest, first_pass, next_pass
from selfrag.plan.reports import Report
from selfrag.ports.guardrail import Guardrail


class PlanTask(QuestionRequest):
    """The request, the state after the last plan (empty at first), and the step reports.

    Times are in milliseconds since the epoch.
    """

    state: dict[str, Any] = {}
    results: list[Report] = []
    began_ms: float
    now_ms: float


class PlanResult(BaseModel):
    """The next pass and the state; default fields are omitted to keep the state small."""

    plan: Plan
    state: dict[str, Any]


def plan(task: PlanTask, guardrail: Guardrail | None) -> PlanResult:
    """Return the next pass of a question; a pass without steps ends it.

    The guardrail checks the request before any model or search sees it.
    """
    if task.state:
        state, following = next_pass(task, task.state, task.results, task.now_ms)
    else:
        earlier = [text for exchange in task.history for text in (exchange.question, exchange.answer)]
        texts = [task.question, *earlier, *(task.policy.get("choices") or [])]
        guarded = guardrail is not None and not guardrail.passes("request", texts)
        state, following = first_pass(task, task.began_ms, guarded=guarded)
    return PlanResult(plan=following, state=state.model_dump(mode="json", exclude_defaults=True))
