"""IsUse by a decision model: five levels, of which the median is the score."""

import pytest

from selfrag.domain.steps import GradeUtilityTask
from selfrag.question.grade_utility.logic import grade
from tests.support.fakes import FakeClaude, FakeDecider, judge_of

TASK = GradeUtilityTask(question="How many days?", answer="25 days.", min_utility=3)


def levels(*values: float) -> dict[str, float]:
    return {str(level): value for level, value in enumerate(values, start=1)}


@pytest.mark.parametrize(
    ("odds", "score", "probability"),
    [((0.0, 0.01, 0.04, 0.15, 0.8), 5, 0.99), ((0.7, 0.25, 0.03, 0.02, 0.0), 1, 0.05)],
)
def test_confident_utility_verdict_of_decider_stands(odds, score, probability) -> None:
    claude = FakeClaude()
    verdict = grade(TASK, judge_of("grade_utility", FakeDecider({"useful": levels(*odds)}), claude)).verdict
    assert (verdict.score, verdict.probability) == (score, pytest.approx(probability))
    assert (verdict.probabilities, verdict.judged_by, claude.asked) == (levels(*odds), "decider", [])


def test_the_least_useful_score_of_the_policy_says_what_is_in_doubt() -> None:
    odds = {"useful": levels(0.0, 0.02, 0.28, 0.4, 0.3)}
    claude = FakeClaude({"reason": "a part is missing", "score": 4})
    assert grade(TASK, judge_of("grade_utility", FakeDecider(odds), claude)).verdict.judged_by == "decider"
    strict = TASK.model_copy(update={"min_utility": 4})
    assert grade(strict, judge_of("grade_utility", FakeDecider(odds), claude)).verdict.judged_by == "model"


def test_without_a_verdict_claude_judges() -> None:
    claude = FakeClaude({"reason": "all is there", "score": 5})
    result = grade(TASK, judge_of("grade_utility", FakeDecider(None), claude))
    assert (result.verdict.score, result.verdict.judged_by, result.warnings) == (5, "model", ["no verdict"])
