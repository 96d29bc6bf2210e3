"""What the steps of a question tell of its answers before there is a response."""

from typing import Any

import pytest

from selfrag.domain.history import Step
from selfrag.domain.scores.traced import scores_of
from tests.support.paper.compared import TEXTS, answers, ranked, tree


def step(name: str, result: Any, given: Any = None) -> Step:
    return Step(name, 0.0, 1.0, 1, given, result, error="")


RANKED = step("RankPaths", ranked())
PICKED = step("PickCandidate", {"scores": answers(), "winner": None})


@pytest.mark.parametrize("steps", [[RANKED, PICKED], [PICKED, step("RankPaths", None)], [PICKED, step("Retrieve", {})]])
def test_the_last_comparison_is_told(steps: list[Step]) -> None:
    told = scores_of(steps)
    assert told is not None
    assert told.model_dump() == answers()


def test_a_tree_that_grows_is_told_with_the_texts_of_what_was_kept() -> None:
    assert scores_of([step("Retrieve", {"passages": []})]) is None
    told = scores_of([PICKED, RANKED])
    assert told is not None
    assert told.scale == "probabilities"
    texts = {"A": TEXTS["A"], "B": TEXTS["B"], "C": "", "A1": TEXTS["A1"], "A2": ""}
    assert {one.id: one.text for one in told.nodes} == texts


@pytest.mark.parametrize("name", ["RankPaths", "PickCandidate"])
@pytest.mark.parametrize(
    "result", [{}, {"scores": {"scale": "stars"}, "nodes": 1}, {"scores": [], "nodes": [{"id": 1}]}, {"nodes": None}]
)
def test_what_another_release_tells_is_left_out_where_it_cannot_be_read(name: str, result: Any) -> None:
    assert scores_of([step(name, result)]) is None


def test_a_field_that_another_release_tells_takes_nothing_away() -> None:
    assert scores_of([step("PickCandidate", {"scores": {**tree(), "colour": "red"}})]) is not None
    assert scores_of([step("RankPaths", {**ranked(), "colour": "red"})]) is not None


def test_scores_of_an_earlier_release_are_read_without_the_terms_that_went_since() -> None:
    nodes = [{**node, "seq": 0.8} for node in tree()["nodes"]]
    scores = scores_of([step("PickCandidate", {"scores": {**tree(), "generator": "selfrag", "nodes": nodes}})])
    assert scores is not None
    assert scores.model_dump() == tree()
