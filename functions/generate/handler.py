"""The Lambda of the state Generate."""

from generate.logic import Result, Task, generate
from selfrag.claude import claude
from selfrag.observability import Event, step
from selfrag.prompts import load_prompt

PROMPT = load_prompt(__file__)


@step
def handler(event: Event) -> Result:
    """Write or repair an answer."""
    task = Task.model_validate(event)
    return generate(task, claude(task.deadline_ms), PROMPT)
