"""IsUse: 1 to 5."""

import pytest

from selfrag.domain.answers import Turn
from selfrag.domain.steps import GradeUtilityTask
from selfrag.question.grade_utility.logic import grade
from tests.support.fakes import MemoryCache, grader

TASK = GradeUtilityTask(question="How many days?", answer="25 days.")


@pytest.mark.parametrize("score", [1, 2, 3, 4, 5])
def test_the_score_and_its_reason_stand(score: int) -> None:
    verdict = grade(TASK, grader({"reason": "because", "score": score})).verdict
    assert (verdict.score, verdict.reason, verdict.cached) == (score, "because", False)


@pytest.mark.parametrize("score", [0, 6, 2.5, "5 of 5", None])
def test_other_scores_are_no_verdict(score: object) -> None:
    with pytest.raises(ValueError, match="score"):
        grade(TASK, grader({"reason": "because", "score": score}))


@pytest.mark.parametrize("flaw", ["refused", "cut", "malformed", "unavailable"])
def test_a_flawed_reply_is_ungraded_and_not_kept(flaw: str) -> None:
    cache = MemoryCache()
    assert grade(TASK, grader(None, flaw, cache)).verdict.score is None  # type: ignore[arg-type]
    assert cache.kept == {}


def test_the_same_answer_is_judged_once() -> None:
    cache = MemoryCache()
    grade(TASK, grader({"reason": "because", "score": 4}, cache=cache))
    again = grade(TASK, grader({"reason": "other", "score": 1}, cache=cache))
    assert (again.verdict.score, again.verdict.cached, again.calls) == (4, True, [])


def test_the_grader_sees_the_turn_before_the_question() -> None:
    judge = grader({"reason": "because", "score": 5})
    earlier = Turn(question="How many days of leave?", answer="25 days.")
    grade(GradeUtilityTask(question="And in May?", previous=earlier, answer="2 days."), judge)
    fields = {"question": "And in May?", "previous": earlier.model_dump(), "answer": "2 days."}
    assert judge.claude.asked == [fields]  # type: ignore[attr-defined]
