"""The Lambda of the state GradeUtility."""

from selfrag import bootstrap
from selfrag.bootstrap import questions
from selfrag.domain.steps import GradeUtilityResult, GradeUtilityTask
from selfrag.judging.prompts import load_prompt
from selfrag.question.grade_utility.logic import grade

grader = questions.grader("grade_utility", load_prompt(__name__), module=__name__)


@bootstrap.step("grade_utility", GradeUtilityTask)
def handler(task: GradeUtilityTask) -> GradeUtilityResult:
    """Judge how useful an answer is."""
    return grade(task, grader(task))
