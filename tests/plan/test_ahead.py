"""Speculation changes no answer that is compared, whatever each passage brings: `off`, `draft` and `full` end alike."""

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import steps
from tests.support.paper.segments import next_sentence
from tests.workflow.asking import ASKED, POLICY, run

ROOM = {"max_model_calls": 1000, "max_cost_usd": None, "deadline_seconds": 100_000}
FATES = st.sampled_from(["good", "irrelevant", "ungraded", "unsupported", "useless", "refused", "dies"])
SAID = ("status", "answer", "citations", "reflection", "queries", "scores")


def found(event: dict[str, Any]) -> dict[str, Any]:
    """Other passages for each sentence, whichever is searched for first."""
    query = event["queries"][0]
    root = query.rpartition(" of ")[2].rstrip(".") if " of " in query else "p1"
    return steps.found(*(f"{root}-{number}" for number in range(event["top_k"])))


def script(fates: list[str], decisions: list[str], write: Any) -> dict[str, list[Any]]:
    """Steps that reply by the fate of the passage: of the one given, or of the one that the answer names last."""

    def fate(event: dict[str, Any]) -> str:
        given = event.get("passage") or next(iter(event.get("passages", [])), {})
        named = re.findall(r"-(\d)", str(given.get("passage_id") or event.get("answer", "")))
        return fates[int(named[-1]) % len(fates)] if named else "good"

    def graded(event: dict[str, Any]) -> dict[str, Any]:
        label = {"irrelevant": "irrelevant", "ungraded": "ungraded"}.get(fate(event), "relevant")
        return steps.relevance(event["passage"]["passage_id"], label)

    def written(event: dict[str, Any]) -> dict[str, Any]:
        if fate(event) == "dies":
            raise KeyError("a bug")
        return steps.answer(is_found=False, flaw="refused") if fate(event) == "refused" else write(event)

    def decided(event: dict[str, Any]) -> dict[str, Any]:
        return steps.retrieval(decisions[min(event.get("so_far", "").count("Sentence"), len(decisions) - 1)])

    return {
        "decide_retrieval": [decided],
        "retrieve": [found],
        "grade_relevance": [graded],
        "generate": [written],
        "grade_support": [
            lambda event: steps.support("no_support" if fate(event) == "unsupported" else "fully_supported")
        ],
        "grade_utility": [lambda event: steps.utility(2 if fate(event) == "useless" else 5)],
    }


def ends_alike(policy: dict[str, Any], replies: dict[str, list[Any]]) -> None:
    slower, *faster = (
        run({**ASKED, "policy": {**POLICY, **ROOM, **policy, "speculate": speculate}}, **replies)[0]
        for speculate in ("off", "draft", "full")
    )
    assert slower["usage"]["waste"]["model_calls"] == 0
    for response in faster:
        assert {part: response[part] for part in SAID} == {part: slower[part] for part in SAID}
        usage = response["usage"]
        assert usage["model_calls"] - usage["waste"]["model_calls"] == slower["usage"]["model_calls"]
        assert usage["rounds"] <= slower["usage"]["rounds"]


def from_passage(event: dict[str, Any]) -> dict[str, Any]:
    if event["mode"] == "direct":
        return steps.answer("Hello.")
    (only,) = event["passages"]
    return steps.answer(f"As {only['passage_id']} says.", cites=only["passage_id"])


CONSTRAINTS = st.sampled_from(["hard", "soft"])


FEW_OR_MANY = pytest.mark.parametrize("examples", [12, pytest.param(80, marks=pytest.mark.long)])


@FEW_OR_MANY
def test_candidates_are_picked_alike(examples: int) -> None:
    @settings(max_examples=examples)
    @given(st.lists(FATES, min_size=3, max_size=4), st.sampled_from(["yes", "no"]), CONSTRAINTS)
    def are_picked_alike(fates: list[str], decision: str, constraints: str) -> None:
        policy = {"strategy": "candidates", "constraints": constraints, "top_k": 4}
        ends_alike(policy, script(fates, [decision], from_passage))

    are_picked_alike()


@FEW_OR_MANY
def test_a_tree_grows_alike(examples: int) -> None:
    @settings(max_examples=examples)
    @given(
        st.lists(FATES, min_size=2, max_size=3),
        st.lists(st.sampled_from(["yes", "no", "continue", "complete"]), min_size=1, max_size=2),
        CONSTRAINTS,
        st.integers(1, 2),
    )
    def grows_alike(fates: list[str], later: list[str], constraints: str, beam: int) -> None:
        policy = {"strategy": "segments", "constraints": constraints, "beam": beam, "top_k": 3, "max_segments": 3}
        ends_alike(policy, script(fates, ["yes", *later], next_sentence))

    grows_alike()
