"""The Lambda of the state GradeSupport."""

from selfrag import bootstrap
from selfrag.bootstrap import questions
from selfrag.domain.steps import GradeSupportResult, GradeSupportTask
from selfrag.judging.prompts import load_prompt
from selfrag.question.grade_support.logic import grade

grader = questions.grader("grade_support", load_prompt(__name__), module=__name__)


@bootstrap.step("grade_support", GradeSupportTask)
def handler(task: GradeSupportTask) -> GradeSupportResult:
    """Check an answer against its passages, claim by claim."""
    return grade(task, grader(task))
