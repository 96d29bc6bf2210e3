"""The Lambda of the state GradeUtility."""

from grade_utility.logic import Result, Task, grade
from selfrag.grading import configured_grader
from selfrag.observability import Event, step
from selfrag.prompts import load_prompt

PROMPT = load_prompt(__file__)


@step
def handler(event: Event) -> Result:
    """Judge how useful an answer is to the asker."""
    task = Task.model_validate(event)
    return grade(task, configured_grader("grade_utility", PROMPT, task.deadline_ms))
