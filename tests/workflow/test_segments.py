"""The paper's beam over sentences, through the real definition in the emulator."""

from typing import Any

import pytest

from tests.support.segments import EXAMPLE, UNSUPPORTED, WEAK, endpoint, next_sentence
from tests.support.steps import Scripted
from tests.workflow.asking import ASKED, POLICY, run

# More than any tree here takes.
ROOM = {"max_model_calls": 1000, "max_sequences": 1000, "max_cost_usd": None, "deadline_seconds": 100_000}


def grow(policy: dict[str, Any] | None = None, **script: list[Any]) -> tuple[dict[str, Any], Scripted]:
    asked = {**ASKED, "policy": {**POLICY, **ROOM, "strategy": "segments", **(policy or {})}}
    return run(asked, **{"generate": [next_sentence], **script})


def node(response: dict[str, Any], name: str) -> dict[str, Any]:
    [found] = [node for node in response["scores"]["nodes"] if node["id"] == name]
    return found


# The worked example


def test_the_best_path_of_two_sentences_is_the_answer_and_each_sentence_cites_its_own_passage() -> None:
    response, _ = grow({"generator": "selfrag", "threshold": 0.2}, **endpoint(EXAMPLE))
    assert response["status"] == "answered"
    assert response["answer"] == "Leave is 25 days. Ten days may be kept."
    assert [(c["passage_id"], c["answer_span"]) for c in response["citations"]] == [("d1", [0, 17]), ("e1", [18, 39])]
    assert (response["usage"]["model_calls"], response["usage"]["sequences"]) == (3, 6)
    assert response["usage"]["rounds"] == 3
    scores = {node["id"]: node["score"] for node in response["scores"]["nodes"]}
    assert scores == pytest.approx({"1": 2.65, "2": 2.55, "3": 1.8, "1.1": 3.15, "1.2": 1.85})
    assert [node(response, name)["state"] for name in ("1", "1.1", "2")] == ["chosen", "chosen", "kept"]
    assert [node(response, name)["reason"] for name in ("3", "1.2")] == ["beam", "no_support"]
    # Algorithm 1 searches with the question and the last sentence.
    assert response["queries"] == ["How many days?", "How many days? Leave is 25 days."]


def test_a_short_answer_that_is_finished_is_not_lost_to_a_longer_worse_one() -> None:
    response, _ = grow({"generator": "selfrag", "threshold": 0.2}, **endpoint({**EXAMPLE, "1.1": WEAK}))
    assert (response["status"], response["answer"]) == ("answered", "All have leave.")
    assert node(response, "1.1")["score"] == pytest.approx(2.225)
    assert node(response, "2")["score"] == pytest.approx(2.55)


def test_an_answer_that_finds_no_further_evidence_goes_out_as_partial() -> None:
    response, _ = grow({"generator": "selfrag", "threshold": 0.2}, **endpoint({**EXAMPLE, "1.1": UNSUPPORTED}))
    assert (response["status"], response["answer"]) == ("partial", "Leave is 25 days.")
    assert response["scores"]["stopped"] == "no_evidence"
    assert "The answer ends where no further evidence was found." in response["usage"]["warnings"]


def test_under_soft_constraints_an_unsupported_sentence_is_ranked_and_not_removed() -> None:
    policy = {"generator": "selfrag", "threshold": 0.2, "constraints": "soft"}
    response, _ = grow(policy, **endpoint(EXAMPLE))
    assert (node(response, "1.2")["reason"], response["answer"]) == ("beam", "Leave is 25 days. Ten days may be kept.")


# Calls and rounds


@pytest.mark.parametrize(("k", "d", "calls"), [(3, 2, 32), (3, 4, 72), (5, 2, 50), (5, 4, 114)])
def test_calls_and_rounds_are_those_of_the_specification(k: int, d: int, calls: int) -> None:
    response, _ = grow({"top_k": k, "max_segments": d})
    assert (response["usage"]["model_calls"], response["usage"]["rounds"]) == (calls, 4 * d + 1)
