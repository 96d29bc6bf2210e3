"""The Lambda of the state Plan."""

from selfrag import bootstrap
from selfrag.question.plan.logic import PlanResult, PlanTask, plan


@bootstrap.step("plan", PlanTask)
def handler(task: PlanTask) -> PlanResult:
    """Plan the next pass."""
    return plan(task)
