"""Retrieve, within an answer that grows: search, continue, no evidence, complete."""

import pytest

from selfrag.domain.steps import DecideRetrievalTask
from selfrag.question.decide_retrieval.logic import decide_continuation
from tests.support.fakes import grader

GROWING = DecideRetrievalTask(question="How many days?", so_far="Leave is 25 days.")


@pytest.mark.parametrize("decision", ["yes", "no", "continue", "complete"])
def test_the_models_decision_stands(decision: str) -> None:
    verdict = decide_continuation(GROWING, grader({"reason": "because", "decision": decision})).verdict
    assert (verdict.decision, verdict.reason) == (decision, "because")


@pytest.mark.parametrize("flaw", ["refused", "cut", "malformed", "unavailable"])
def test_a_flawed_reply_is_ungraded_and_says_why(flaw: str) -> None:
    verdict = decide_continuation(GROWING, grader(None, flaw)).verdict  # type: ignore[arg-type]
    assert (verdict.decision, verdict.reason) == ("ungraded", f"the verdict was {flaw}")


def test_the_grader_sees_the_answer_so_far() -> None:
    judge = grader({"reason": "because", "decision": "complete"})
    decide_continuation(GROWING, judge)
    [asked] = judge.claude.asked  # type: ignore[attr-defined]
    assert asked["so_far"] == "Leave is 25 days."
