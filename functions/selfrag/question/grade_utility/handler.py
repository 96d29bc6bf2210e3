"""The Lambda of the state GradeUtility."""

from selfrag.question.grade_utility.logic import Result, Task, grade
from selfrag import bootstrap
from selfrag.bootstrap import questions
from selfrag.ports.prompts import load_prompt

grader = questions.grader("grade_utility", load_prompt(__file__))


@bootstrap.step(Task)
def handler(task: Task) -> Result:
    """Judge how useful an answer is to the asker."""
    return grade(task, grader(task))
