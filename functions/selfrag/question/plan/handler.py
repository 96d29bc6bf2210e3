"""The Lambda of the state Plan."""

from selfrag import bootstrap
from selfrag.question.plan.logic import Result, Task, plan


@bootstrap.step("plan", Task)
def handler(task: Task) -> Result:
    """Plan the next pass."""
    return plan(task)
