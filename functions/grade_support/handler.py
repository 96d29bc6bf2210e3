"""The Lambda of the state GradeSupport."""

from grade_support.logic import Result, Task, grade
from selfrag.grading import configured_grader
from selfrag.observability import Event, step
from selfrag.prompts import load_prompt

PROMPT = load_prompt(__file__)


@step
def handler(event: Event) -> Result:
    """Check an answer against its passages, claim by claim."""
    task = Task.model_validate(event)
    return grade(task, configured_grader("grade_support", PROMPT, task.deadline_ms))
