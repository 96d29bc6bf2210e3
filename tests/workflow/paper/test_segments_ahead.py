"""Speculation in a tree of sentences: fewer rounds, and the same answer."""

from typing import Any

import pytest

from tests.support import steps
from tests.workflow.paper.test_segments import grow

AHEAD = pytest.mark.parametrize("speculate", ["draft", "full"])


# Calls and rounds


@AHEAD
@pytest.mark.parametrize(("k", "d", "calls", "waste"), [(3, 2, 33, 1), (3, 4, 81, 9), (5, 2, 53, 3), (5, 4, 133, 19)])
def test_calls_and_rounds_are_those_of_the_specification(
    k: int, d: int, calls: int, waste: int, speculate: str
) -> None:
    response, _ = grow({"top_k": k, "max_segments": d, "speculate": speculate})
    assert (response["usage"]["model_calls"], response["usage"]["rounds"]) == (calls, 2 * d + 2)
    # A level needs the decisions of the paths that stay in the beam.
    assert response["usage"]["waste"]["model_calls"] == waste == (k - 2) + (d - 2) * (2 * k - 2)


@AHEAD
def test_by_default_the_largest_tree_stays_below_its_limit(speculate: str) -> None:
    """81 calls would be one too many: in the third of four levels no decision is made ahead."""
    response, _ = grow({"max_model_calls": 80, "speculate": speculate})
    assert (response["usage"]["model_calls"], response["usage"]["rounds"]) == (77, 11)
    assert (response["scores"]["stopped"], response["usage"]["waste"]["model_calls"]) == ("depth", 5)


def test_sentence_from_irrelevant_passage_is_waste_and_not_graded_further() -> None:
    response, scripted = grow({"max_segments": 2, "beam": 1, "speculate": "draft"}, grade_relevance=[only("-1")])
    assert (scripted.count("grade_relevance"), scripted.count("generate"), scripted.count("grade_support")) == (6, 6, 2)
    assert scripted.count("decide_retrieval") == 2
    assert response["usage"]["waste"]["model_calls"] == 4
    assert [one["reason"] for one in response["scores"]["nodes"][:3]] == ["irrelevant", "", "irrelevant"]


# The answer


def only(ending: str) -> Any:
    def graded(event: dict[str, Any]) -> dict[str, Any]:
        name = event["passage"]["passage_id"]
        return steps.relevance(name, "relevant" if name.endswith(ending) else "irrelevant")

    return graded
