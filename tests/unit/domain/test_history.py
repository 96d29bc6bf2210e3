"""The steps of a history: each with the turn of the plan that it is part of."""

import json
from collections.abc import Sequence
from typing import Any

from selfrag.domain.history import plan_of, steps_of

Task = tuple[str, Any]


def history_of(*tasks: Task) -> list[dict[str, Any]]:
    """Return a history of tasks with their results, a second apart."""
    events: list[dict[str, Any]] = [{"type": "ExecutionStarted"}]
    for name, result in tasks:
        events.append({"type": "TaskStateEntered", "stateEnteredEventDetails": {"name": name}})
        if result is not None:
            output = json.dumps({"Payload": result})
            events.append({"type": "TaskSucceeded", "taskSucceededEventDetails": {"output": output}})
            events.append({"type": "TaskStateExited", "stateExitedEventDetails": {"name": name}})
    numbered = enumerate(events, start=1)
    return [
        {"id": n, "previousEventId": n - 1, "timestamp": f"2026-11-22T12:00:{n:02}Z", **event} for n, event in numbered
    ]


def plan(turn: int, why: str = "Because.") -> Task:
    return "Plan", {"plan": {"turn": turn, "why": why, "steps": []}}


def turns(*tasks: Task) -> Sequence[tuple[str, int]]:
    return [(step.name, step.turn) for step in steps_of(history_of(*tasks))]


def test_steps_have_the_turn_of_the_plan_before_them() -> None:
    found = turns(plan(1), ("Retrieve", {}), plan(1), ("GradeRelevance", {}), ("Generate", {}), plan(2))
    assert found == [
        ("Plan", 1), ("Retrieve", 1), ("Plan", 1), ("GradeRelevance", 1), ("Generate", 1), ("Plan", 2)
    ]  # fmt: skip


def test_a_plan_that_is_being_made_or_failed_begins_no_turn() -> None:
    assert turns(plan(1), ("Retrieve", {}), ("Plan", None)) == [("Plan", 1), ("Retrieve", 1), ("Plan", 1)]


def test_a_question_that_was_not_planned_has_no_turns() -> None:
    assert turns(("DecideRetrieval", {}), ("Retrieve", {})) == [("DecideRetrieval", 0), ("Retrieve", 0)]


def test_a_plan_tells_its_reason_and_no_other_step_does() -> None:
    made, searched = steps_of(history_of(plan(1, "Search first."), ("Retrieve", {"plan": "no"})))
    assert (plan_of(made) or {})["why"] == "Search first."
    assert plan_of(searched) is None
