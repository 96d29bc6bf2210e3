"""The steps of a history: which of them ran in the same pass, and inside of what."""

from collections.abc import Sequence
from typing import Any

from selfrag.domain.history import steps_of

Event = tuple[str, str]


def history_of(*events: Event) -> list[dict[str, Any]]:
    """A history of states that were entered and left, each with its type and name, a second apart."""
    begun = ("ExecutionStarted", "")
    return [
        {
            "id": number,
            "previousEventId": number - 1,
            "type": kind,
            "timestamp": f"2026-11-22T12:{number // 60:02}:{number % 60:02}Z",
            f"state{'Exited' if kind.endswith('Exited') else 'Entered'}EventDetails": {"name": name},
        }
        for number, (kind, name) in enumerate([begun, *events], start=1)
    ]


def task(name: str) -> list[Event]:
    return [("TaskStateEntered", name), ("TaskStateExited", name)]


def holding(kind: str, name: str, events: Sequence[Event]) -> list[Event]:
    return [(f"{kind}StateEntered", name), *events, (f"{kind}StateExited", name)]


def seen(*events: Event) -> list[tuple[str, int, str]]:
    return [(step.name, step.turn, step.within) for step in steps_of(history_of(*events))]


def test_tasks_that_follow_each_other_are_each_in_a_turn_of_its_own() -> None:
    assert seen(*task("DecideRetrieval"), *task("Retrieve")) == [("DecideRetrieval", 1, ""), ("Retrieve", 2, "")]


def test_all_that_runs_inside_a_map_is_in_one_turn_however_deep_it_stands() -> None:
    inner = holding("Map", "WriteSegments", [*task("GradeRelevance"), *task("Generate")])
    level = holding("Map", "ExpandBeam", [*task("Retrieve"), *inner, *holding("Parallel", "Reflect", [])])
    assert seen(*level, *task("RankPaths"), *level[:3]) == [
        ("Retrieve", 1, "ExpandBeam"),
        ("GradeRelevance", 1, "ExpandBeam"),
        ("Generate", 1, "ExpandBeam"),
        ("RankPaths", 2, ""),
        ("Retrieve", 3, "ExpandBeam"),
    ]


def test_choices_and_passes_between_begin_no_turn() -> None:
    between: list[Event] = [("ChoiceStateEntered", "Route"), ("ChoiceStateExited", "Route"), ("PassStateEntered", "P")]
    assert seen(*task("Retrieve"), *between, *task("Generate")) == [("Retrieve", 1, ""), ("Generate", 2, "")]
