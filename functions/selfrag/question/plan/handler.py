"""The Lambda of the state Plan."""

from selfrag import bootstrap
from selfrag.bootstrap.guardrail import guardrail
from selfrag.question.plan.logic import PlanResult, PlanTask, plan


@bootstrap.step("plan", PlanTask)
def handler(task: PlanTask) -> PlanResult:
    """Plan the next pass."""
    return plan(task, guardrail())


bootstrap.warm(guardrail)
