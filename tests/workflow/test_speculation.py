"""Speculation saves rounds, and the answer equals that of the sequential path."""

from typing import Any

import pytest

from selfrag.question.plan.handler import handler as plan
from tests.support import steps
from tests.workflow.asking import NONE, SOME, ahead, run

MODES = ("off", "draft", "full")
LOST = TimeoutError("a step that dies")


class Recorded:
    """The deployed step Plan, which remembers its plans."""

    def __init__(self) -> None:
        self.made: list[dict[str, Any]] = []

    def __call__(self, event: dict[str, Any]) -> Any:
        result = plan(event, None)
        self.made.append(result["plan"])
        return result


def relevant(*passage_ids: str) -> Any:
    """Return a grader that finds these passages relevant, and no others."""
    return lambda event: steps.relevance(
        event["passage"]["passage_id"], "relevant" if event["passage"]["passage_id"] in passage_ids else "irrelevant"
    )


def writer(event: dict[str, Any]) -> dict[str, Any]:
    """Return a writer that cites the first passage that it is given, and says which."""
    if event["mode"] == "direct":
        return steps.answer("Hello.")
    first = event["passages"][0]["passage_id"]
    return steps.answer(f"As {first} says.", cites=first)


def searched(event: dict[str, Any]) -> dict[str, Any]:
    """Return the results of a query, independent of time."""
    number = 1 if event["queries"] == ["How many days?"] else 2
    return steps.found(*(f"p{number}-{n}" for n in range(event["top_k"])))


SCENARIOS: dict[str, dict[str, Any]] = {
    "no search": {"decide_retrieval": [steps.retrieval("no")]},
    "a direct answer of little use": {
        "decide_retrieval": [steps.retrieval("no")],
        "grade_utility": [steps.utility(2), steps.utility(5)],
    },
    "four relevant": {},
    "two of four, the first among them": {"grade_relevance": [relevant("p1-0", "p1-2")]},
    "two of four, the first not among them": {"grade_relevance": [relevant("p1-1", "p1-2")]},
    "none, then rewritten": {"grade_relevance": [NONE] * 4 + [SOME]},
    "never any evidence": {"grade_relevance": [NONE]},
    "evidence on the web alone": {"grade_relevance": [relevant("w0", "w1", "w2", "w3")]},
    "partly supported, then web": {"grade_support": [steps.missing(), steps.support("fully_supported")]},
    "partly supported, and not to be mended": {
        "grade_relevance": [relevant("p1-0")],
        "grade_support": [steps.missing()],
    },
    "unsupported once": {"grade_support": [steps.support("no_support"), steps.support("fully_supported")]},
    "little use once": {"grade_utility": [steps.utility(2), steps.utility(5)]},
    "graders down": {"grade_relevance": [lambda e: steps.relevance(e["passage"]["passage_id"], "ungraded")]},
    "a writer that refuses": {"generate": [steps.answer(is_found=False, flaw="refused")]},
    "a search that fails": {"retrieve": [LOST]},
}
# Rounds at most, of a policy that drafts ahead and of one that does nothing ahead.
ROUNDS = {
    "four relevant": (2, 4),
    "none, then rewritten": (4, 6),
    "never any evidence": (4, 6),
    "partly supported, then web": (6, 9),
    "unsupported once": (4, 6),
    "little use once": (5, 8),
}


def asked(speculate: str, scenario: str, **policy: Any) -> dict[str, Any]:
    script = {"retrieve": [searched], "generate": [writer], **SCENARIOS[scenario]}
    response, _ = run(ahead(speculate, **policy), **{step: list(replies) for step, replies in script.items()})
    return response


@pytest.mark.parametrize("scenario", ROUNDS)
@pytest.mark.parametrize("speculate", ["off", "draft"])
def test_a_path_takes_no_more_rounds_than_it_has_to(speculate: str, scenario: str) -> None:
    assert asked(speculate, scenario)["usage"]["rounds"] <= ROUNDS[scenario][speculate == "off"]


def test_without_a_search_a_direct_draft_leaves_two_rounds() -> None:
    rounds = [asked(speculate, "no search")["usage"]["rounds"] for speculate in MODES]
    assert rounds == [3, 3, 2]


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_result_is_that_of_the_slower_way(scenario: str) -> None:
    slower, *faster = [asked(speculate, scenario) for speculate in MODES]
    for response in faster:
        for part in ("status", "answer", "citations", "reflection", "queries"):
            assert response[part] == slower[part]
    assert slower["usage"]["waste"] == {"model_calls": 0, "cost_usd": 0.0}


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("speculate", ["draft", "full"])
def test_only_unneeded_work_counts_as_waste(speculate: str, scenario: str) -> None:
    slower, faster = asked("off", scenario)["usage"], asked(speculate, scenario)["usage"]
    assert faster["model_calls"] - faster["waste"]["model_calls"] == slower["model_calls"]
    assert faster["model_calls"] <= 40


def test_draft_citing_irrelevant_passage_is_rewritten_from_relevant_ones() -> None:
    _, scripted = run(ahead("draft"), generate=[writer], grade_relevance=[relevant("p1-1")])
    given = [[p["passage_id"] for p in event["passages"]] for event in scripted.events_of("generate")]
    assert given == [[f"p1-{n}" for n in range(4)], ["p1-1"]]


def test_draft_without_citations_is_rewritten_when_passage_is_irrelevant() -> None:
    bare = {**steps.answer("25 days."), "citations": []}
    _, scripted = run(ahead("draft"), generate=[bare], grade_relevance=[relevant("p1-0")])
    assert scripted.count("generate") == 2


def test_unneeded_speculative_failure_is_not_reported() -> None:
    response, _ = run(ahead("draft"), decide_retrieval=[steps.retrieval("no")], retrieve=[LOST])
    assert (response["status"], response["usage"]["warnings"]) == ("answered", [])


def test_the_next_query_is_prepared_once_while_the_same_was_searched() -> None:
    _, scripted = run(ahead("full"), grade_support=[steps.support("no_support"), steps.support("fully_supported")])
    assert scripted.count("rewrite_question") == 1


def test_busy_model_limits_grading_to_two_at_once() -> None:
    throttled = {**steps.retrieval("yes"), "throttled": True}
    for decision, at_once in ((steps.retrieval("yes"), 10), (throttled, 2)):
        run(ahead("off"), decide_retrieval=[decision], plan=[plans := Recorded()])
        grading = next(one for one in plans.made if one["steps"][0:1] and one["steps"][0]["step"] == "GradeRelevance")
        assert grading["at_once"] == at_once
