"""The errors of the paper's public code (1fcdc42) that could occur here, each by its visible effect."""

from typing import Any

import pytest

from selfrag.domain.questions import Weights
from tests.support import steps
from tests.support.paper.candidates import CLAUDE
from tests.workflow.asking import run
from tests.workflow.paper.test_candidates import asked, graders


def ranking(*names: str) -> dict[str, list[Any]]:
    """Return the replies for these passages of the worked example."""
    return {"retrieve": [lambda event: steps.found(*names)], **graders(**CLAUDE)}


@pytest.mark.parametrize("names", [["d2"], ["d2", "d1"]])
def test_error_4_forced_search_returns_the_best_answer(names: list[str]) -> None:
    response, _ = run(asked(retrieval="always"), **ranking(*names))
    assert (response["status"], response["answer"]) == ("answered", "As d2 says.")


def test_error_5_an_answers_use_counts_half_unless_the_asker_says_otherwise() -> None:
    assert Weights().use == 0.5
    assert run(asked(), **ranking("d1", "d2"))[0]["answer"] == "As d2 says."
    full = {"rel": 1.0, "sup": 1.0, "use": 1.0}
    assert run(asked(weights=full), **ranking("d1", "d2"))[0]["answer"] == "As d1 says."


def test_error_6_an_option_wins_however_its_answers_are_written() -> None:
    """ "true" and "True" are one option, whose sum exceeds that of "false"."""
    options = {"a": ("true", 0.6), "b": ("True", 0.6), "c": ("false", 0.9)}

    def grade(event: dict[str, Any]) -> dict[str, Any]:
        name = event["passage"]["passage_id"]
        reply = steps.relevance(name, "relevant")
        return {**reply, "verdict": {**reply["verdict"], "score": options[name][1]}}

    response, _ = run(
        asked(choices=["true", "false"]),
        retrieve=[steps.found(*options)],
        grade_relevance=[grade],
        generate=[lambda event: steps.answer(options[event["passages"][0]["passage_id"]][0])],
    )
    scores = {node["passage_id"]: node["score"] for node in response["scores"]["nodes"]}
    assert max(scores, key=lambda name: scores[name]) == "c"
    assert (response["answer"], response["scores"]["votes"]["true"]) == ("true", pytest.approx(4.2))
