"""The Lambda of the state GradeRelevance."""

from grade_relevance.logic import Result, Task, grade
from selfrag.grading import configured_grader
from selfrag.observability import Event, step
from selfrag.prompts import load_prompt

PROMPT = load_prompt(__file__)


@step
def handler(event: Event) -> Result:
    """Grade one passage's relevance to the question."""
    task = Task.model_validate(event)
    return grade(task, configured_grader("grade_relevance", PROMPT, task.deadline_ms))
