"""The Lambda of the state Plan."""

from selfrag import bootstrap
from selfrag.question.plan.logic import PlanResult, PlanTask, plan


@bootstrap.step(PlanTask)
def handler(task: PlanTask) -> PlanResult:
    """Plan the next pass."""
    return plan(task)
