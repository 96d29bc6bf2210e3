"""IsUse: the usefulness of the answer, from 1 to 5."""

from collections.abc import Mapping
from typing import Literal, get_args

from pydantic import BaseModel

from selfrag.domain.decisions import median_level
from selfrag.domain.steps import GradeUtilityResult, GradeUtilityTask
from selfrag.domain.verdicts import UtilityVerdict
from selfrag.judging.graders import DecisionGrader, Grader

_Score = Literal[1, 2, 3, 4, 5]
_SCORES: tuple[_Score, ...] = get_args(_Score)


class Utility(BaseModel):
    """The shape of the model's verdict."""

    reason: str
    score: _Score


def grade(task: GradeUtilityTask, grader: Grader) -> GradeUtilityResult:
    """Return the score, with a reason unless a decision model judged.

    Claude judges if the decision model is not conclusive.
    """
    texts = {"question": task.question, "previous": task.previous.model_dump(), "answer": task.answer}
    decider = grader.decider
    if decider is None:
        return _ask_claude(texts, grader)
    decided = _ask_decider(task, texts, decider)
    is_conclusive = grader.is_conclusive(decided.verdict.probability)
    return decided if is_conclusive else _ask_claude(texts, grader).add_cost_of(decided)


def _ask_claude(texts: Mapping[str, object], grader: Grader) -> GradeUtilityResult:
    judgement = grader.grade(texts, Utility)
    if judgement.verdict is None:
        verdict = UtilityVerdict(score=None, reason=f"the verdict was {judgement.flaw}")
    else:
        verdict = UtilityVerdict(**judgement.verdict.model_dump(), cached=judgement.cached, **grader.judge_fields)
    return GradeUtilityResult(verdict=verdict, **judgement.usage)


def _ask_decider(task: GradeUtilityTask, texts: Mapping[str, object], decider: DecisionGrader) -> GradeUtilityResult:
    decisions = decider.ask(texts, decider.questions)
    if decisions.answers is None:
        verdict = UtilityVerdict(score=None, reason=f"the verdict was {decisions.flaw}")
    else:
        levels = decisions.answers["useful"]
        useful = sum(probability for level, probability in levels.items() if int(level) >= task.min_utility)
        verdict = UtilityVerdict(
            score=_SCORES[median_level(levels) - 1],
            cached=decisions.cached,
            probability=min(useful, 1.0),
            probabilities=levels,
            **decider.judge_fields,
        )
    return GradeUtilityResult(verdict=verdict, **decisions.usage)
