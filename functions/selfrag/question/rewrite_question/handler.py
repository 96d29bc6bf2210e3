"""The Lambda of the state RewriteQuestion."""

from selfrag import bootstrap
from selfrag.bootstrap import questions
from selfrag.ports.prompts import load_prompt
from selfrag.question.rewrite_question.logic import Result, Task, rewrite

grader = questions.grader("rewrite_question", load_prompt(__name__))


@bootstrap.step("rewrite_question", Task)
def handler(task: Task) -> Result:
    """Find a search query that was not tried yet."""
    return rewrite(task, grader(task))
