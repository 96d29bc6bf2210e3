"""The Lambda of the state RewriteQuestion."""

from selfrag import bootstrap
from selfrag.bootstrap import questions
from selfrag.domain.steps import RewriteQuestionResult, RewriteQuestionTask
from selfrag.judging.prompts import load_prompt
from selfrag.question.rewrite_question.logic import rewrite

grader = questions.grader("rewrite_question", load_prompt(__name__))


@bootstrap.step("rewrite_question", RewriteQuestionTask)
def handler(task: RewriteQuestionTask) -> RewriteQuestionResult:
    """Find a new search query."""
    return rewrite(task, grader(task))
