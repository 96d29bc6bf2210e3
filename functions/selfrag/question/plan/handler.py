"""The Lambda of the state Plan."""

from selfrag.question.plan.logic import Result, Task, plan
from selfrag import bootstrap


@bootstrap.step(Task)
def handler(task: Task) -> Result:
    """Plan the next pass."""
    return plan(task)
