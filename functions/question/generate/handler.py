"""The Lambda of the state Generate."""

from question.generate.logic import Result, Task, generate
from selfrag import bootstrap
from selfrag.domain.prompts import load_prompt

PROMPT = load_prompt(__file__)


@bootstrap.step(Task)
def handler(task: Task) -> Result:
    """Write or repair an answer."""
    return generate(task, bootstrap.claude(task.deadline_ms), PROMPT)
