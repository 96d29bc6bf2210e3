"""The Lambda of the state GradeRelevance."""

from selfrag import bootstrap
from selfrag.bootstrap import questions
from selfrag.domain.steps import GradeRelevanceResult, GradeRelevanceTask
from selfrag.judging.prompts import load_prompt
from selfrag.question.grade_relevance.logic import grade

grader = questions.grader("grade_relevance", load_prompt(__name__), module=__name__)


@bootstrap.step("grade_relevance", GradeRelevanceTask)
def handler(task: GradeRelevanceTask) -> GradeRelevanceResult:
    """Grade one passage's relevance to the question."""
    return grade(task, grader(task))
