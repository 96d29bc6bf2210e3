"""IsUse: the usefulness of the answer to the asker, from 1 to 5."""

from typing import Literal

from pydantic import BaseModel

from selfrag.domain.steps import GradeUtilityResult, GradeUtilityTask
from selfrag.domain.verdicts import UtilityVerdict
from selfrag.ports.grading import Grader


class Utility(BaseModel):
    """The shape of the model's verdict."""

    reason: str
    score: Literal[1, 2, 3, 4, 5]


def grade(task: GradeUtilityTask, grader: Grader) -> GradeUtilityResult:
    """Return the score and its reason."""
    texts = {"question": task.question, "previous": task.previous.model_dump(), "answer": task.answer}
    judgement = grader.grade(texts, Utility)
    if judgement.verdict is None:
        verdict = UtilityVerdict(score=None, reason=f"the verdict was {judgement.flaw}")
    else:
        verdict = UtilityVerdict(
            score=judgement.verdict.score,
            reason=judgement.verdict.reason,
            cached=judgement.cached,
            judged_by=grader.judged_by,
        )
    return GradeUtilityResult(verdict=verdict, **judgement.usage)
