"""The step Plan: its input and output in the workflow."""

import json
from typing import Any

import pytest

from selfrag.domain.errors import InvalidInput
from selfrag.domain.policy import Policy
from selfrag.domain.strategies import Strategy
from selfrag.plan.planner import STRATEGIES, policy_of
from selfrag.question.plan.handler import handler
from tests.support import steps

BY_HAND: dict[str, Any] = {"question": "How many days?", "collections": ["c"], "began_ms": 1000.0, "now_ms": 1000.0}


def planned(**more: Any) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(json.dumps(handler({**BY_HAND, **more}, None)))
    return result


def test_manual_execution_needs_only_question_and_collections() -> None:
    result = planned()
    assert [step["step"] for step in result["plan"]["steps"]] == ["Retrieve"]
    assert result["state"]["brief"]["deadline_ms"] == 1000.0 + 25_000


def test_every_strategy_that_a_caller_may_name_is_planned() -> None:
    assert set(STRATEGIES) == set(Strategy.__args__)  # type: ignore[attr-defined]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_policy_of_a_plan_has_the_defaults_of_the_edge(strategy: str) -> None:
    assert dict(policy_of({"strategy": strategy})) == dict(Policy(strategy=strategy))  # type: ignore[arg-type]
    assert policy_of({"strategy": strategy, "top_k": 7, "weights": {"use": 2.0}}).weights.use == 2.0


def test_a_strategy_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="strategy"):
        planned(policy={"strategy": "guess"})


def test_task_without_times_is_rejected_naming_missing_fields() -> None:
    with pytest.raises(InvalidInput, match="began_ms"):
        handler({"question": "?"}, None)


def test_a_plan_says_why_with_the_numbers_that_decided() -> None:
    first = planned()
    results = [{"step": "Retrieve", "id": "", "result": {**steps.found("a", "b"), "passages": []}}]
    read = planned(state=first["state"], results=results)
    assert read["plan"]["why"].startswith("2 new passages:")
    verdicts = {"a": "relevant", "b": "irrelevant"}
    results = [
        {"step": "Generate", "id": "grounded", "result": steps.answer(cites="a")},
        {"step": "DecideRetrieval", "id": "", "result": steps.retrieval("yes")},
        *({"step": "GradeRelevance", "id": i, "result": steps.relevance(i, verdicts[i])} for i in "ab"),
    ]
    judging = planned(state=read["state"], results=results)
    assert judging["plan"]["why"] == "1 of 2 passages relevant; the draft cites only these: judge it."
    assert [step["step"] for step in judging["plan"]["steps"]] == ["GradeSupport", "GradeUtility"]
    assert [one["why"] for one in judging["state"]["passes"]][-1] == judging["plan"]["why"]


def test_unreadable_result_is_no_verdict_and_unknown_fields_are_ignored() -> None:
    first = planned()
    found = [{"step": "Retrieve", "id": "", "result": {**steps.found("a", "b"), "later": 1}}]
    read = planned(state=first["state"], results=found)
    results = [
        {"step": "Generate", "id": "grounded", "result": steps.answer(cites="a")},
        {"step": "DecideRetrieval", "id": "", "result": steps.retrieval("yes")},
        {"step": "GradeRelevance", "id": "a", "result": {**steps.relevance("a", "relevant"), "later": 1}},
        {"step": "GradeRelevance", "id": "b", "result": {"verdict": {"relevant": "perhaps"}}},
    ]
    judging = planned(state=read["state"], results=results)
    assert judging["plan"]["why"].startswith("1 of 2 passages relevant, 1 not graded")
    assert judging["state"]["ledger"][-2]["error"] == "UnreadableResult"


def test_the_state_fits_into_the_execution_beside_the_passages() -> None:
    result = planned(policy={"strategy": "segments"})
    assert len(json.dumps(result)) < 10_000
