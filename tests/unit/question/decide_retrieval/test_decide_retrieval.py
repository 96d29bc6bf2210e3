"""Retrieve: yes, no, continue."""

import pytest

from selfrag.domain.answers import Turn
from selfrag.domain.steps import DecideRetrievalTask
from selfrag.question.decide_retrieval.logic import decide
from tests.support.fakes import grader

EARLIER = Turn(question="How many days of leave?", answer="25 days.")


def says(decision: str) -> dict[str, str]:
    return {"reason": "because", "decision": decision}


@pytest.mark.parametrize("decision", ["yes", "no"])
def test_the_models_decision_stands(decision: str) -> None:
    result = decide(DecideRetrievalTask(question="?"), grader(says(decision)))
    assert (result.verdict.decision, result.verdict.reason) == (decision, "because")
    assert len(result.calls) == 1


def test_continue_after_earlier_turn_is_kept_with_fallback_query() -> None:
    judge = grader({**says("continue"), "query": "leave in May"})
    verdict = decide(DecideRetrievalTask(question="And in May?", previous=EARLIER), judge).verdict
    assert (verdict.decision, verdict.query) == ("continue", "leave in May")


def test_a_follow_up_is_searched_for_in_words_that_stand_alone() -> None:
    judge = grader({**says("yes"), "query": "  days of leave\nin May "})
    assert (
        decide(DecideRetrievalTask(question="And in May?", previous=EARLIER), judge).verdict.query
        == "days of leave in May"
    )


def test_a_question_that_follows_none_is_searched_for_as_it_stands() -> None:
    judge = grader(says("yes"))
    assert decide(DecideRetrievalTask(question="How many days?"), judge).verdict.query == ""
    (asked,) = judge.claude.shapes  # type: ignore[attr-defined]
    assert "query" not in asked.model_fields


def test_continue_without_an_earlier_turn_is_a_search() -> None:
    assert decide(DecideRetrievalTask(question="And in May?"), grader(says("continue"))).verdict.decision == "yes"


@pytest.mark.parametrize("flaw", ["refused", "cut", "malformed", "unavailable"])
def test_a_flawed_reply_is_ungraded_and_says_why(flaw: str) -> None:
    verdict = decide(DecideRetrievalTask(question="?"), grader(None, flaw)).verdict  # type: ignore[arg-type]
    assert (verdict.decision, verdict.reason) == ("ungraded", f"the verdict was {flaw}")


def test_the_grader_sees_the_question_and_the_turn_before_it() -> None:
    judge = grader({**says("continue"), "query": ""})
    decide(DecideRetrievalTask(question="And in May?", previous=EARLIER), judge)
    assert judge.claude.asked == [{"question": "And in May?", "previous": EARLIER.model_dump()}]  # type: ignore[attr-defined]


@pytest.mark.parametrize("complexity", ["simple", "complex"])
def test_complexity_is_reported_only_when_requested(complexity: str) -> None:
    says = {"reason": "because", "decision": "yes", "complexity": complexity}
    assert (
        decide(DecideRetrievalTask(question="How many days?", complexity=True), grader(says)).verdict.complexity
        == complexity
    )
    assert decide(DecideRetrievalTask(question="How many days?"), grader(says)).verdict.complexity is None


@pytest.mark.parametrize("decision", ["no", "continue"])
def test_question_without_first_search_has_no_complexity(decision: str) -> None:
    says = {"reason": "because", "decision": decision, "complexity": "simple", "query": ""}
    task = DecideRetrievalTask(question="Thanks!", previous=Turn(question="Leave?", answer="25 days."), complexity=True)
    verdict = decide(task, grader(says)).verdict
    assert (verdict.decision, verdict.complexity) == (decision, None)


def test_a_verdict_without_the_complexity_that_was_asked_for_is_ungraded() -> None:
    verdict = decide(DecideRetrievalTask(question="How many days?", complexity=True), grader(None, "malformed")).verdict
    assert (verdict.decision, verdict.complexity) == ("ungraded", None)
