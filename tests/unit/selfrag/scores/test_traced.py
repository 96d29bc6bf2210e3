"""What the steps of a question tell of its answers before there is a response."""

from typing import Any

import pytest

from selfrag.domain.history import Step
from selfrag.domain.scores.traced import scores_of, texts_of
from tests.support.compared import answers, tree


def step(name: str, result: Any, given: Any = None) -> Step:
    return Step(name, 0.0, 1.0, 1, given, result, error="")


def test_the_last_comparison_is_told_and_none_before_the_first() -> None:
    ranked, picked = step("RankPaths", {"scores": tree()}), step("PickCandidate", {"scores": answers()})
    assert scores_of([step("Retrieve", {"passages": []})]) is None
    for steps, expected in (
        ([ranked], tree()),
        ([ranked, picked], answers()),
        ([picked, step("RankPaths", None)], answers()),
    ):
        told = scores_of(steps)
        assert told is not None
        assert told.model_dump() == expected


@pytest.mark.parametrize("scores", [None, {}, {"scale": "stars"}, [], {"scale": "labels", "nodes": [{"id": 1}]}])
def test_what_another_release_tells_is_left_out_where_it_cannot_be_read(scores: Any) -> None:
    assert scores_of([step("RankPaths", {"scores": scores})]) is None
    assert scores_of([step("RankPaths", {"scores": {**tree(), "colour": "red"}})]) is not None


def test_the_texts_of_all_that_was_compared_are_found_in_what_the_step_was_given() -> None:
    children = [{"id": "A", "answer": "One."}, {"id": "B", "answer": ""}, {"id": "C"}]
    given = {"paths": [{"segments": [{"id": "R", "answer": "Root."}]}], "children": children}
    assert texts_of([step("RankPaths", None, given), step("Generate", None, {"id": "X", "answer": "no"})]) == {
        "R": "Root.",
        "A": "One.",
    }
