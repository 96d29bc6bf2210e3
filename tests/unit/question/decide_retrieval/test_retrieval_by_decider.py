"""Retrieve by a decision model: a choice, and Claude where a query has to be worded."""

from dataclasses import replace

import pytest

from selfrag.domain.answers import Turn
from selfrag.domain.steps import DecideRetrievalTask
from selfrag.question.decide_retrieval.logic import decide, decide_continuation
from tests.support.fakes import FakeClaude, FakeDecider, judge_of

TASK = DecideRetrievalTask(question="How many days?")
FOLLOW_UP = TASK.model_copy(update={"previous": Turn(question="Leave?", answer="25 days.")})
SAYS = {"reason": "a fact", "decision": "yes", "aggregate": False, "complexity": "simple", "query": "leave in May"}


def answers(decision: str, probability: float = 0.96, aggregate: float = 0.02) -> dict[str, dict[str, float]]:
    options = ("yes", "no", "continue", "cannot_tell")
    rest = (1 - probability) / (len(options) - 1)
    return {
        "decision": {option: probability if option == decision else rest for option in options},
        "aggregate": {"yes": aggregate, "no": 1 - aggregate},
        "complexity": {"simple": 0.3, "complex": 0.7},
    }


@pytest.mark.parametrize("decision", ["yes", "no"])
def test_a_decision_beyond_doubt_stands_with_its_probabilities(decision: str) -> None:
    claude = FakeClaude()
    verdict = decide(TASK, judge_of("decide_retrieval", FakeDecider(answers(decision)), claude)).verdict
    assert (verdict.decision, verdict.probability, verdict.aggregate) == (decision, 0.96, False)
    assert verdict.ratio == pytest.approx({"yes": 0.96, "no": 0.04 / 3}[decision] / (0.96 + 0.04 / 3))
    assert claude.asked == []


def test_count_question_and_complex_question_are_distinguished_in_one_request() -> None:
    decider = FakeDecider(answers("yes", aggregate=0.8))
    task = TASK.model_copy(update={"complexity": True})
    verdict = decide(task, judge_of("decide_retrieval", decider, FakeClaude())).verdict
    assert (verdict.aggregate, verdict.complexity, len(decider.states)) == (True, "complex", 1)
    assert set(decider.questions[0]) == {"decision", "aggregate", "complexity"}


@pytest.mark.parametrize("given", [answers("yes", 0.7), answers("cannot_tell"), None], ids=["doubt", "cannot", "none"])
def test_in_doubt_or_without_a_verdict_claude_decides(given) -> None:
    verdict = decide(TASK, judge_of("decide_retrieval", FakeDecider(given), FakeClaude(SAYS))).verdict
    assert (verdict.decision, verdict.judged_by, verdict.probability) == ("yes", "model", None)


def test_claude_words_follow_up_query_only_when_search_is_needed() -> None:
    claude = FakeClaude(SAYS)
    searched = decide(FOLLOW_UP, judge_of("decide_retrieval", FakeDecider(answers("yes")), claude, upper=None)).verdict
    assert (searched.query, searched.judged_by) == ("leave in May", "model")
    claude = FakeClaude()
    goes_on = decide(FOLLOW_UP, judge_of("decide_retrieval", FakeDecider(answers("continue")), claude)).verdict
    assert (goes_on.decision, goes_on.judged_by, claude.asked) == ("continue", "decider", [])


def test_to_go_on_without_an_earlier_answer_is_a_search() -> None:
    verdict = decide(TASK, judge_of("decide_retrieval", FakeDecider(answers("continue")), FakeClaude())).verdict
    assert (verdict.decision, verdict.judged_by) == ("yes", "decider")


def test_how_an_answer_goes_on_is_a_question_of_its_own() -> None:
    odds = {"continuation": {"complete": 0.95, "yes": 0.02, "no": 0.01, "continue": 0.01, "cannot_tell": 0.01}}
    claude = FakeClaude()
    task = TASK.model_copy(update={"so_far": "Leave is 25 days."})
    verdict = decide_continuation(task, judge_of("decide_retrieval", FakeDecider(odds), claude)).verdict
    assert (verdict.decision, verdict.judged_by, claude.asked) == ("complete", "decider", [])


def test_no_of_a_model_that_was_not_measured_is_confirmed_by_claude() -> None:
    judge = judge_of("decide_retrieval", FakeDecider(answers("no")), FakeClaude(SAYS), upper=None)
    assert judge.decider
    advised = replace(judge, decider=replace(judge.decider, measured=False))
    assert decide(TASK, advised).verdict.decision == "yes"
    odds = {"continuation": {"yes": 0.01, "no": 0.97, "continue": 0.01, "complete": 0.0, "cannot_tell": 0.01}}
    going_on = replace(
        judge, claude=FakeClaude(SAYS), decider=replace(judge.decider, decider=FakeDecider(odds), measured=False)
    )
    task = TASK.model_copy(update={"so_far": "25 days."})
    assert decide_continuation(task, going_on).verdict.judged_by == "model"
