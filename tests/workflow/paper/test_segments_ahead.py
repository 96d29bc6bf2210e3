"""What a tree of sentences does ahead: fewer rounds, and the answer that it would have had anyway."""

from typing import Any

import pytest

from selfrag.domain.errors import BudgetExceeded, TemporarilyUnavailable
from tests.support import steps
from tests.support.paper.segments import EXAMPLE, endpoint, next_sentence
from tests.support.steps import Scripted
from tests.workflow.paper.test_segments import decides, grow, priced

AHEAD = pytest.mark.parametrize("speculate", ["draft", "full"])
Script = dict[str, list[Any]]


# Calls and rounds


@AHEAD
@pytest.mark.parametrize(("k", "d", "calls", "waste"), [(3, 2, 33, 1), (3, 4, 81, 9), (5, 2, 53, 3), (5, 4, 133, 19)])
def test_calls_and_rounds_are_those_of_the_specification(
    k: int, d: int, calls: int, waste: int, speculate: str
) -> None:
    response, _ = grow({"top_k": k, "max_segments": d, "speculate": speculate})
    assert (response["usage"]["model_calls"], response["usage"]["rounds"]) == (calls, 2 * d + 2)
    # Of the decisions of a level those are needed whose paths stay in the beam.
    assert response["usage"]["waste"]["model_calls"] == waste == (k - 2) + (d - 2) * (2 * k - 2)


@AHEAD
def test_by_default_the_largest_tree_stays_below_its_limit(speculate: str) -> None:
    """81 calls would be one too many: in the third of four levels no decision is made ahead."""
    response, _ = grow({"max_model_calls": 80, "speculate": speculate})
    assert (response["usage"]["model_calls"], response["usage"]["rounds"]) == (77, 11)
    assert (response["scores"]["stopped"], response["usage"]["waste"]["model_calls"]) == ("depth", 5)


def test_after_the_last_sentence_that_there_may_be_nobody_asks_what_is_next() -> None:
    _, scripted = grow({"max_segments": 1, "speculate": "draft"})
    assert scripted.count("decide_retrieval") == 1


def test_what_is_decided_ahead_is_asked_of_the_path_with_its_new_sentence() -> None:
    _, scripted = grow({"max_segments": 2, "beam": 1, "speculate": "draft"})
    asked = sorted(event["so_far"] for event in scripted.events_of("decide_retrieval")[1:])
    assert asked == [f"Sentence 1 of p1-{n}." for n in range(3)]


def test_a_sentence_from_an_irrelevant_passage_is_waste_and_nothing_more_is_asked_of_it() -> None:
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


def direct_no(event: dict[str, Any]) -> dict[str, Any]:
    return steps.answer(is_found=False) if event["mode"] == "direct" else next_sentence(event)


def fails(step: str, name: str = "p1-0", error: Exception | None = None) -> Any:
    """The usual reply, but an error for what is about the passage."""
    usual: Any = Scripted(generate=[next_sentence]).script[step][0]

    def reply(event: dict[str, Any]) -> Any:
        passages = [event.get("passage"), *event.get("passages", [])]
        if any(one and one["passage_id"] == name for one in passages) or name in event.get("so_far", ""):
            raise error or KeyError("a bug")
        return usual(event) if callable(usual) else usual

    return reply


def found(event: dict[str, Any]) -> dict[str, Any]:
    """Other passages for each sentence, whichever is searched for first."""
    root = event["queries"][0].rpartition(" of ")[2].rstrip(".") if " of " in event["queries"][0] else "p1"
    return steps.found(*(f"{root}-{number}" for number in range(event["top_k"])))


SCENARIOS: dict[str, tuple[dict[str, Any], Script]] = {
    "all relevant": ({}, {}),
    "one sentence": ({"max_segments": 1}, {}),
    "complete": ({"beam": 1}, {"decide_retrieval": decides("yes", "complete")}),
    "complete at once": ({}, {"decide_retrieval": decides("complete")}),
    "the same passage": ({"beam": 1, "max_segments": 3}, {"decide_retrieval": decides("continue")}),
    "no evidence needed": ({"beam": 1}, {"decide_retrieval": decides("no", "complete")}),
    "continue from none": ({"beam": 1, "max_segments": 3}, {"decide_retrieval": decides("no", "continue")}),
    "always searched": ({"retrieval": "always", "max_segments": 3}, {"decide_retrieval": decides("no", "complete")}),
    "never searched": ({"retrieval": "never"}, {}),
    "direct": ({}, {"decide_retrieval": [steps.retrieval("no")]}),
    "direct, then searched": ({"beam": 1, "retrieval": "never"}, {"generate": [direct_no]}),
    "some relevant": ({"max_segments": 3}, {"grade_relevance": [only("-1")]}),
    "some relevant, soft": ({"max_segments": 3, "constraints": "soft"}, {"grade_relevance": [only("-1")]}),
    "none relevant": ({}, {"grade_relevance": [only("nowhere")]}),
    "a wide beam": ({"beam": 3, "max_segments": 3}, {}),
    "no IsRel": ({"max_segments": 2}, {"grade_relevance": [fails("grade_relevance")]}),
    "no sentence": ({"max_segments": 2}, {"generate": [fails("generate")]}),
    "no IsSup": ({"max_segments": 2}, {"grade_support": [fails("grade_support")]}),
    "busy": ({"max_segments": 2}, {"grade_support": [fails("grade_support", error=TemporarilyUnavailable("busy"))]}),
    "no IsRel of any": ({}, {"grade_relevance": [KeyError("a bug")]}),
    "no sentence of any": ({}, {"generate": [KeyError("a bug")]}),
    "no search": ({}, {"retrieve": [KeyError("a bug")]}),
    "no search later": ({}, {"retrieve": [steps.found("a", "b"), KeyError("a bug")]}),
    "no decision later": ({"max_segments": 2}, {"decide_retrieval": [steps.retrieval("yes"), KeyError("a bug")]}),
    "no decision of one": ({"max_segments": 3}, {"decide_retrieval": [fails("decide_retrieval")]}),
    "no IsUse": ({"beam": 1}, {"decide_retrieval": decides("complete"), "grade_utility": [KeyError("a bug")]}),
    "no rank later": ({}, {"rank_paths": [Scripted().script["rank_paths"][0], KeyError("a bug")]}),
    "no money to decide": (
        {"max_segments": 3}, {"decide_retrieval": [fails("decide_retrieval", error=BudgetExceeded("none"))]},
    ),
    "few calls": ({"max_model_calls": 31}, priced()),
    "calls for two levels": ({"max_model_calls": 32}, priced()),
    "no calls": ({"max_model_calls": 5}, {}),
    "few dollars": ({"max_cost_usd": 0.031}, priced()),
    "dollars for two levels": ({"max_cost_usd": 0.0321}, priced()),
    "dollars for all": ({"max_cost_usd": 0.0811}, priced()),
    "no time": ({"deadline_seconds": 0}, {}),
    "by the endpoint": ({"generator": "selfrag", "threshold": 0.2}, endpoint(EXAMPLE)),
}  # fmt: skip


# A tree does the same with both; the definition asks for `off` alone.
@pytest.mark.parametrize(
    ("scenario", "speculate"),
    [*((name, "draft") for name in SCENARIOS), *((name, "full") for name in [*SCENARIOS][:3])],
)
def test_what_is_done_ahead_changes_nothing_that_is_said(scenario: str, speculate: str) -> None:
    policy, said = SCENARIOS[scenario]
    script = {"retrieve": [found], **said}
    plain, _ = grow(policy, **script)
    ahead, _ = grow({**policy, "speculate": speculate}, **script)
    for field in ("answer", "status", "citations", "scores", "reflection", "queries"):
        assert ahead[field] == plain[field], field
    assert set(ahead["usage"]["warnings"]) == set(plain["usage"]["warnings"])
    assert ahead["usage"]["rounds"] <= plain["usage"]["rounds"]
    needed = ahead["usage"]["model_calls"] - ahead["usage"]["waste"]["model_calls"]
    assert needed == plain["usage"]["model_calls"]
    assert ahead["usage"]["model_calls"] <= policy.get("max_model_calls", 1000)
