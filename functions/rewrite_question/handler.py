"""The Lambda of the state RewriteQuestion."""

from rewrite_question.logic import Result, Task, rewrite
from selfrag.grading import configured_grader
from selfrag.observability import Event, step
from selfrag.prompts import load_prompt

PROMPT = load_prompt(__file__)


@step
def handler(event: Event) -> Result:
    """Find a search query that was not tried yet."""
    task = Task.model_validate(event)
    return rewrite(task, configured_grader("rewrite_question", PROMPT, task.deadline_ms, cached=False))
