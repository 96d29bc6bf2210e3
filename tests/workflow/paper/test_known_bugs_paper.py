"""The errors of the paper's public code (1fcdc42) that could occur here, each by what a user would see.

Each test has what that code computes beside what goes out here, so it cannot pass without seeing the error.
"""

import math
from typing import Any

from selfrag.domain.answers import Citation
from selfrag.domain.questions import Weights
from selfrag.domain.scores import terms
from selfrag.domain.scores.tokens import RETRIEVE
from tests.support import steps
from tests.support.paper.candidates import critiqued
from tests.workflow.asking import ASKED, run


def asked(**policy: Any) -> dict[str, Any]:
    own = {"strategy": "candidates", "generator": "selfrag", **policy}
    return {**ASKED, "policy": {**ASKED["policy"], **own}}


def endpoint(*rows: str) -> list[Any]:
    """Return the paper's model, which answers from the passages in turn like these of the worked example."""

    def reply(event: dict[str, Any]) -> dict[str, Any]:
        written = [
            critiqued(row).model_copy(
                update={
                    "passage_id": passage["passage_id"],
                    "answer": f"As {row} says.",
                    "citations": [
                        Citation.model_validate(c) for c in steps.answer(cites=passage["passage_id"])["citations"]
                    ],
                }
            )
            for row, passage in zip(rows, event["passages"], strict=True)
        ]
        return {**steps.asked("generate", written=[w.model_dump(mode="json") for w in written]), "sequences": len(rows)}

    return [reply]


def test_error_1_a_question_that_surely_needs_a_search_is_searched_for_and_the_other_is_not() -> None:
    for yes, no in ((0.90, 0.05), (0.05, 0.90)):
        ratio = terms.retrieval_ratio({RETRIEVE[1]: yes, RETRIEVE[0]: no})
        theirs = math.log(yes) / (math.log(yes) + math.log(no))
        assert ratio is not None
        assert terms.needs_search(ratio, 0.2) is (yes > no)
        assert terms.needs_search(theirs, 0.2) is (yes < no)


def test_error_2_a_question_without_a_verdict_on_the_search_is_searched_for() -> None:
    assert terms.retrieval_ratio({}) is None
    assert terms.retrieval_ratio({RETRIEVE[2]: 0.9}) is None
    decision = {**steps.retrieval("ungraded"), "sequences": 1}
    response, scripted = run(asked(top_k=1), decide_retrieval=[decision], generate=endpoint("d2"))
    assert (response["status"], scripted.count("retrieve")) == ("answered", 1)
    assert response["reflection"]["retrieve"]["decision"] == "ungraded"


def test_error_4_a_single_passage_that_is_always_searched_for_is_answered_from() -> None:
    response, _ = run(asked(top_k=1, retrieval="always"), generate=endpoint("d2"))
    assert (response["status"], response["answer"]) == ("answered", "As d2 says.")


def test_error_4_of_two_passages_the_better_answer_goes_out_and_not_the_last() -> None:
    response, _ = run(asked(top_k=2, retrieval="always"), generate=endpoint("d2", "d1"))
    assert response["answer"] == "As d2 says."


def test_error_5_an_answers_use_counts_half_unless_the_asker_says_otherwise() -> None:
    assert Weights().use == 0.5
    own = {"top_k": 2, "retrieval": "always"}
    assert run(asked(**own), generate=endpoint("d1", "d2"))[0]["answer"] == "As d2 says."
    full = {"rel": 1.0, "sup": 1.0, "use": 1.0}
    assert run(asked(**own, weights=full), generate=endpoint("d1", "d2"))[0]["answer"] == "As d1 says."


def test_error_5_what_is_written_without_a_search_is_not_paid_for_and_thrown_away() -> None:
    _, scripted = run(asked(top_k=1), decide_retrieval=[steps.retrieval("yes")], generate=endpoint("d2"))
    assert [event["mode"] for event in scripted.events_of("generate")] == ["candidates"]


def test_error_6_an_option_wins_however_its_answers_are_written() -> None:
    """Of "true", "True" and "false" the first two are one option, whose sum is the higher one."""
    said = {"p1-0": ("true", 0.275), "p1-1": ("True", 0.275), "p1-2": ("false", 0.325)}

    def reply(event: dict[str, Any]) -> dict[str, Any]:
        found = []
        for passage in event["passages"]:
            text, rel = said[passage["passage_id"]]
            told = {"rel": rel, "sup": 1.0, "use": 0.0, "seq": 0.5}
            one = critiqued("d2").model_copy(update={"passage_id": passage["passage_id"], "answer": text})
            found.append({**one.model_dump(mode="json"), "terms": told})
        return {**steps.asked("generate", written=found), "sequences": 3}

    own = asked(top_k=3, retrieval="always", choices=["true", "false"])
    response, _ = run(own, generate=[reply])
    scores = {node["passage_id"]: node["score"] for node in response["scores"]["nodes"]}
    assert max(scores, key=lambda name: scores[name]) == "p1-2"
    assert (response["answer"], round(response["scores"]["votes"]["true"], 6)) == ("true", 3.55)
