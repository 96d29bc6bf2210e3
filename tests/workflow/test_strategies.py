"""The strategies: other ways through the same steps, each held to the same rules."""

from typing import Any

import pytest

from selfrag.domain.errors import DeadlineExceeded
from tests.support import steps
from tests.workflow.asking import ASKED, run

UNCHECKED = ["Not checked: whether the passages support the answer.", "Not checked: whether the answer is of use."]


def by(strategy: str, speculate: str = "off", **policy: Any) -> dict[str, Any]:
    """The question under a strategy."""
    return {**ASKED, "policy": {**ASKED["policy"], "strategy": strategy, "speculate": speculate, **policy}}


@pytest.mark.parametrize("speculate", ["off", "draft", "full"])
def test_naive_searches_and_answers_in_one_call_whatever_is_done_ahead(speculate: str) -> None:
    response, scripted = run(by("naive", speculate))
    assert response["path"] == ["Retrieve", "Generate"]
    usage = response["usage"]
    assert (usage["model_calls"], usage["rounds"], usage["waste"]["model_calls"]) == (1, 1, 0)
    assert [p["passage_id"] for p in scripted.events_of("generate")[0]["passages"]] == [f"p1-{n}" for n in range(4)]
    assert (response["queries"], len(response["citations"])) == (["How many days?"], 1)


def test_what_naive_did_not_check_is_said_and_has_no_verdict() -> None:
    response, _ = run(by("naive"))
    assert response["reflection"] == {"retrieve": None, "relevance": [], "support": None, "utility": None}
    assert (response["status"], response["usage"]["warnings"]) == ("partial", UNCHECKED)


@pytest.mark.parametrize(
    "script",
    [{"retrieve": [steps.found()]}, {"generate": [steps.answer(is_found=False)]}],
    ids=["nothing found", "not in what was found"],
)
def test_where_nothing_is_found_naive_abstains_and_looks_no_further(script: dict[str, list[Any]]) -> None:
    response, scripted = run(by("naive"), **script)
    assert (response["status"], response["citations"]) == ("abstained", [])
    assert response["answer"] == 'Not found in the documents. Searched for: "How many days?".'
    assert (scripted.count("retrieve"), scripted.count("search_web"), scripted.count("rewrite_question")) == (1, 0, 0)


@pytest.mark.parametrize(
    ("script", "status"),
    [
        ({"retrieve": [TimeoutError("a step that dies")]}, "failed"),
        ({"generate": [steps.answer(is_found=False, flaw="refused")]}, "failed"),
        ({"generate": [DeadlineExceeded("no time")]}, "partial"),
    ],
    ids=["search fails", "refused", "no time"],
)
def test_a_fault_is_told_by_naive_as_by_any_strategy(script: dict[str, list[Any]], status: str) -> None:
    response, _ = run(by("naive"), **script)
    assert (response["status"], response["citations"]) == (status, [])
