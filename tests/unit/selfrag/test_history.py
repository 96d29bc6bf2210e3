"""The steps of a history: which of them ran in the same pass, and inside of what."""

from collections.abc import Sequence
from typing import Any

from selfrag.domain.history import steps_of

Event = tuple[str, str]
NAMED = {"StateEntered": "stateEntered", "StateExited": "stateExited", "IterationStarted": "mapIterationStarted"}


def history_of(*events: Event) -> list[dict[str, Any]]:
    """A history of states that were entered and left, each with its type and name, a second apart."""
    begun = ("ExecutionStarted", "")
    return [
        {
            "id": number,
            "previousEventId": number - 1,
            "type": kind,
            "timestamp": f"2026-11-22T12:{number // 60:02}:{number % 60:02}Z",
            **{f"{detail}EventDetails": {"name": name} for end, detail in NAMED.items() if kind.endswith(end)},
        }
        for number, (kind, name) in enumerate([begun, *events], start=1)
    ]


def task(name: str) -> list[Event]:
    return [("TaskStateEntered", name), ("TaskStateExited", name)]


def side_by_side(name: str, events: Sequence[Event]) -> list[Event]:
    return [("ParallelStateEntered", name), ("ParallelStateStarted", ""), *events, ("ParallelStateExited", name)]


def each(name: str, *items: Sequence[Event]) -> list[Event]:
    """A Map, of which an item begins where the one before it ends."""
    inside = [event for item in items for event in [("MapIterationStarted", name), *item]]
    return [("MapStateEntered", name), ("MapStateStarted", ""), *inside, ("MapStateExited", name)]


def seen(*events: Event) -> list[tuple[str, int, tuple[str, ...]]]:
    return [(step.name, step.turn, step.within) for step in steps_of(history_of(*events))]


def test_tasks_that_follow_each_other_are_each_in_a_turn_of_its_own() -> None:
    assert seen(*task("DecideRetrieval"), *task("Retrieve")) == [("DecideRetrieval", 1, ()), ("Retrieve", 2, ())]


def test_all_that_runs_inside_of_one_state_is_in_one_turn_however_deep_it_stands() -> None:
    inner = each("WriteSegments", task("GradeRelevance"), side_by_side("Reflect", task("GradeSupport")))
    level = each("ExpandBeam", [*task("Retrieve"), *inner], task("Retrieve"))
    within = ("ExpandBeam", "WriteSegments")
    expanded = [
        ("Retrieve", 1, ("ExpandBeam",)),
        ("GradeRelevance", 1, within),
        ("GradeSupport", 1, (*within, "Reflect")),
        ("Retrieve", 1, ("ExpandBeam",)),
    ]
    again = [(name, 3, around) for name, _, around in expanded]
    assert seen(*level, *task("RankPaths"), *level) == [*expanded, ("RankPaths", 2, ()), *again]


def test_choices_and_passes_between_begin_no_turn() -> None:
    between: list[Event] = [("ChoiceStateEntered", "Route"), ("ChoiceStateExited", "Route"), ("PassStateEntered", "P")]
    assert seen(*task("Retrieve"), *between, *task("Generate")) == [("Retrieve", 1, ()), ("Generate", 2, ())]


def test_a_question_at_work_is_told_as_far_as_it_came() -> None:
    level = each("ExpandBeam", [*task("Retrieve"), *side_by_side("Reflect", task("GradeSupport"))])
    assert seen(*level[:8]) == [("Retrieve", 1, ("ExpandBeam",)), ("GradeSupport", 1, ("ExpandBeam", "Reflect"))]


def test_a_step_that_runs_beside_another_has_the_name_that_it_has_by_itself() -> None:
    beside = side_by_side("GradeAndWrite", [*task("GradeRelevanceBeside"), *task("GenerateBeside")])
    assert [name for name, _, _ in seen(*beside)] == ["GradeRelevance", "Generate"]
