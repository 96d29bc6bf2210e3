"""`candidates` through its own definition: an answer from each passage, and the best of them."""

import time
from typing import Any

import pytest

from selfrag.domain.errors import DeadlineExceeded
from selfrag.question.compose_answer.messages import MESSAGES
from tests.support import steps
from tests.support.paper.candidates import CLAUDE
from tests.workflow.asking import ASKED, NONE, run

LOST = TimeoutError("a step that dies")
MODES = ("off", "draft", "full")
PASSAGES = ["Retrieve", "GradeRelevance", "Generate", "GradeSupport", "GradeUtility", "PickCandidate"]
WAY = ["DecideRetrieval", *PASSAGES]
DIRECT = ["DecideRetrieval", "Generate", "GradeUtility"]


def asked(speculate: str = "off", **policy: Any) -> dict[str, Any]:
    """Return the question under this strategy."""
    own = {"strategy": "candidates", "speculate": speculate, **policy}
    return {**ASKED, "policy": {**ASKED["policy"], **own}}


def from_passage(event: dict[str, Any]) -> dict[str, Any]:
    """Return a writer that says which passage it was given."""
    if event["mode"] == "direct":
        return steps.answer("Hello.")
    (only,) = event["passages"]
    return steps.answer(f"As {only['passage_id']} says.", cites=only["passage_id"])


def named_in(event: dict[str, Any]) -> str:
    """Return the passage that an answer of `from_passage` names."""
    return str(event["answer"]).removeprefix("As ").removesuffix(" says.")


def graders(**verdicts: tuple[float | None, str, int | None]) -> dict[str, list[Any]]:
    """Graders that judge each passage, and the answer from it, like this; all that is not named, best."""

    def relevance(event: dict[str, Any]) -> dict[str, Any]:
        name = event["passage"]["passage_id"]
        score = verdicts.get(name.replace("-", "_"), (0.9, "", 5))[0]
        label = "ungraded" if score is None else "relevant" if score >= 0.5 else "irrelevant"
        graded = steps.relevance(name, label)
        return {**graded, "verdict": {**graded["verdict"], "score": score}}

    def judged(event: dict[str, Any]) -> tuple[float | None, str, int | None]:
        return verdicts.get(named_in(event).replace("-", "_"), (0.9, "fully_supported", 5))

    return {
        "grade_relevance": [relevance],
        "grade_support": [lambda event: steps.support(judged(event)[1])],
        "grade_utility": [lambda event: steps.utility(judged(event)[2])],
        "generate": [from_passage],
    }


EXAMPLE = {"retrieve": [lambda event: steps.found("d1", "d2", "d3")]}


def scores_of(response: dict[str, Any]) -> dict[str, float | None]:
    return {n["passage_id"]: n["score"] and round(n["score"], 6) for n in response["scores"]["nodes"]}


@pytest.mark.parametrize(("constraints", "d3"), [("hard", None), ("soft", 1.8)])
def test_the_worked_example_by_our_graders(constraints: str, d3: float | None) -> None:
    response, _ = run(asked(constraints=constraints), **EXAMPLE, **graders(**CLAUDE))
    assert (response["answer"], response["status"]) == ("As d2 says.", "answered")
    assert scores_of(response) == {"d1": 1.9, "d2": 2.05, "d3": d3}
    assert response["scores"]["scale"] == "labels"
    assert [citation["passage_id"] for citation in response["citations"]] == ["d2"]


@pytest.mark.parametrize(("speculate", "rounds"), [("off", 4), ("draft", 3), ("full", 2)])
@pytest.mark.parametrize("top_k", [3, 5])
def test_calls_and_rounds_are_those_of_the_papers_table(speculate: str, rounds: int, top_k: int) -> None:
    response, _ = run(asked(speculate, top_k=top_k), generate=[from_passage])
    usage = response["usage"]
    assert (usage["model_calls"], usage["rounds"]) == (1 + 4 * top_k, rounds)
    assert (usage["waste"]["model_calls"], response["path"]) == (0, WAY if speculate == "off" else response["path"])


def test_under_hard_constraints_nothing_is_written_from_an_irrelevant_passage() -> None:
    response, scripted = run(asked(), **graders(p1_1=(0.2, "fully_supported", 5), p1_3=(0.1, "fully_supported", 5)))
    assert response["usage"]["model_calls"] == 1 + 4 + 3 * 2
    assert sorted(e["passages"][0]["passage_id"] for e in scripted.events_of("generate")) == ["p1-0", "p1-2"]
    states = {node["passage_id"]: (node["state"], node["reason"]) for node in response["scores"]["nodes"]}
    assert states == {
        "p1-0": ("chosen", ""),
        "p1-1": ("pruned", "irrelevant"),
        "p1-2": ("kept", ""),
        "p1-3": ("pruned", "irrelevant"),
    }


SOME_ON_THE_WEB = lambda event: steps.relevance(  # noqa: E731
    event["passage"]["passage_id"], "relevant" if event["passage"]["passage_id"].startswith("w") else "irrelevant"
)


def test_direct_answer_without_search_is_graded_for_utility_only() -> None:
    response, scripted = run(asked(), **graders(), decide_retrieval=[steps.retrieval("no")])
    assert (response["status"], response["answer"], response["path"]) == ("answered", "Hello.", DIRECT)
    assert (scripted.count("retrieve"), response["scores"], response["reflection"]["support"]) == (0, None, None)


@pytest.mark.parametrize("step", ["grade_relevance", "generate", "grade_support", "grade_utility"])
def test_a_passage_that_fails_in_a_step_fails_alone(step: str) -> None:
    def dies_for_the_first(usual: Any) -> Any:
        def reply(event: dict[str, Any]) -> Any:
            if "p1-0" in str(event.get("passage") or event.get("passages") or event.get("answer")):
                raise LOST
            return usual(event)

        return reply

    script = graders()
    script[step] = [dies_for_the_first(script[step][0])]
    response, _ = run(asked(), **script)
    assert (response["status"], response["answer"]) == ("answered", "As p1-1 says.")
    first = response["scores"]["nodes"][0]
    assert (first["passage_id"], first["state"]) == (
        "p1-0",
        "kept" if "support" in step or "util" in step else "pruned",
    )


def test_web_is_searched_once_when_no_candidate_remains() -> None:
    response, scripted = run(asked(), **{**graders(), "grade_relevance": [NONE]})
    assert (response["status"], scripted.count("search_web"), scripted.count("retrieve")) == ("abstained", 1, 1)
    assert response["answer"] == 'Not found in the documents. Searched for: "How many days?".'
    assert len(response["scores"]["nodes"]) == 8


def test_an_answer_from_the_web_is_judged_like_any_other() -> None:
    response, _ = run(asked(), **{**graders(), "grade_relevance": [SOME_ON_THE_WEB]})
    web = ["SearchWeb", "GradeRelevance", "Generate", "GradeSupport", "GradeUtility", "PickCandidate"]
    assert response["path"] == ["DecideRetrieval", "Retrieve", "GradeRelevance", "PickCandidate", *web]
    assert (response["status"], response["answer"]) == ("answered", "As w0 says.")


def test_failed_picking_fails_the_question_without_an_answer() -> None:
    response, _ = run(asked(), pick_candidate=[LOST])
    assert (response["status"], response["citations"]) == ("failed", [])


def test_work_beyond_a_limit_is_not_begun_and_ends_as_partial() -> None:
    response, scripted = run(asked(max_model_calls=16))
    assert (response["status"], response["answer"], scripted.count("generate")) == (
        "partial",
        MESSAGES["en"]["no_room"],
        0,
    )
    assert response["scores"]["stopped"] == "calls"
    assert MESSAGES["en"]["stopped_calls"] in response["usage"]["warnings"]
    assert response["usage"]["model_calls"] == 1


def test_the_shares_of_all_passages_are_within_the_cost_limit() -> None:
    _, scripted = run(asked(max_cost_usd=1.0), **graders())
    asking = ("grade_relevance", "generate", "grade_support", "grade_utility")
    shares = {step: [event["budget_usd"] for event in scripted.events_of(step)] for step in asking}
    assert all(len(given) == 4 for given in shares.values())
    assert sum(shares["grade_relevance"]) + sum(shares["generate"]) <= 1.0
    assert sum(shares["grade_support"]) + sum(shares["grade_utility"]) <= 1.0


def test_past_the_deadline_nothing_is_begun_and_what_was_judged_goes_out() -> None:
    late = [DeadlineExceeded("no time")]
    response, _ = run(asked(), **{**graders(), "grade_relevance": late})
    assert response["status"] == "partial"
    judged, _ = run(asked(), **{**graders(), "grade_utility": late})
    assert (judged["status"], judged["answer"]) == ("partial", "As p1-0 says.")


EARLIER = {
    "id": {"S": "earlier"},
    "question": {"S": "How many days of leave?"},
    "answer": {"S": "25 days."},
    "collections": {"L": [{"S": "c"}]},
    "evidence": {"L": [{"M": {"passage_id": {"S": "e1"}, "score": {"N": "0.9"}}}]},
    "expires_at": {"N": str(int(time.time()) + 1000)},
}


@pytest.mark.parametrize("speculate", MODES)
def test_a_follow_up_that_continues_is_answered_from_the_earlier_evidence(speculate: str) -> None:
    def by_id(event: dict[str, Any]) -> dict[str, Any]:
        return steps.found(*(event["passage_ids"] or ["p1-0", "p1-1"]))

    own = {**asked(speculate), "previous": "earlier"}
    response, scripted = run(
        own, EARLIER, **graders(), decide_retrieval=[steps.retrieval("continue")], retrieve=[by_id]
    )
    assert (response["status"], response["answer"]) == ("answered", "As e1 says.")
    assert scripted.events_of("retrieve")[-1]["passage_ids"] == ["e1"]
    assert response["queries"] == []


def test_follow_up_without_usable_evidence_searches_documents() -> None:
    for first, grades in ((steps.found(), graders()), (steps.found("e1"), graders(e1=(0.1, "fully_supported", 5)))):
        response, _ = run(
            {**asked(), "previous": "earlier"},
            EARLIER,
            **grades,
            decide_retrieval=[steps.retrieval("continue")],
            retrieve=[first, steps.found("e1", "p1")],
        )
        assert (response["status"], response["queries"]) == ("answered", ["How many days?"])
        assert response["answer"] in ("As p1 says.", "As e1 says.")


def test_a_closed_set_is_answered_by_the_votes_of_all_passages() -> None:
    said = {"p1-0": "true", "p1-1": "True.", "p1-2": "false", "p1-3": "Perhaps"}

    def choose(event: dict[str, Any]) -> dict[str, Any]:
        (only,) = event["passages"]
        return steps.answer(said[only["passage_id"]], cites=only["passage_id"])

    response, scripted = run(asked(choices=["true", "false"]), generate=[choose])
    assert (response["answer"], response["status"]) == ("true", "answered")
    assert [citation["passage_id"] for citation in response["citations"]] == ["p1-0", "p1-1"]
    assert set(response["scores"]["votes"]) == {"true", "false"}
    assert all(event["choices"] == ["true", "false"] for event in scripted.events_of("generate"))
