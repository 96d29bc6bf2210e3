"""The paper's beam over sentences, through the real definition in the emulator."""

from typing import Any

import pytest

from selfrag.domain.errors import TemporarilyUnavailable
from tests.support import steps
from tests.support.paper.segments import EXAMPLE, by_decider, next_sentence
from tests.support.steps import Scripted
from tests.workflow.asking import ASKED, POLICY, run

# More than any tree here takes.
ROOM = {"max_model_calls": 1000, "max_cost_usd": None, "deadline_seconds": 100_000}


def grow(policy: dict[str, Any] | None = None, **script: list[Any]) -> tuple[dict[str, Any], Scripted]:
    asked = {**ASKED, "policy": {**POLICY, **ROOM, "strategy": "segments", **(policy or {})}}
    return run(asked, **{"generate": [next_sentence], **script})


def node(response: dict[str, Any], name: str) -> dict[str, Any]:
    [found] = [node for node in response["scores"]["nodes"] if node["id"] == name]
    return found


# The worked example


def test_best_two_sentence_path_wins_and_each_sentence_cites_its_passage() -> None:
    response, _ = grow(**by_decider(EXAMPLE))
    assert (response["status"], response["scores"]["scale"]) == ("answered", "probabilities")
    assert response["answer"] == "Leave is 25 days. Ten days may be kept."
    assert [(c["passage_id"], c["answer_span"]) for c in response["citations"]] == [("d1", [0, 17]), ("e1", [18, 39])]
    scores = {node["id"]: node["score"] for node in response["scores"]["nodes"]}
    assert scores == pytest.approx({"1": 1.85, "2": 1.8, "3": 1.1, "1.1": 2.325, "1.2": 1.375})
    assert [node(response, name)["state"] for name in ("1", "1.1", "2")] == ["chosen", "chosen", "kept"]
    assert [node(response, name)["reason"] for name in ("3", "1.2")] == ["beam", "no_support"]
    # Algorithm 1 searches with the question and the last sentence.
    assert response["queries"] == ["How many days?", "How many days? Leave is 25 days."]


# Calls and rounds


# Ways through a level


def decides(*said: str) -> list[Any]:
    """The first decision is to search, then these after as many sentences; the last one stands for all further ones."""

    def reply(event: dict[str, Any]) -> dict[str, Any]:
        written = event.get("so_far", "").count("Sentence")
        return steps.retrieval(["yes", *said][min(written, len(said))])

    return [reply]


def test_an_answer_that_is_complete_is_answered() -> None:
    response, scripted = grow({"beam": 1}, decide_retrieval=decides("yes", "complete"))
    assert (response["status"], response["answer"]) == ("answered", "Sentence 1 of p1-0. Sentence 2 of p2-0.")
    assert response["scores"]["stopped"] == ""
    assert [event.get("so_far") for event in scripted.events_of("decide_retrieval")] == [
        None, "Sentence 1 of p1-0.", "Sentence 1 of p1-0. Sentence 2 of p2-0."
    ]  # fmt: skip


def test_continued_path_reuses_its_passage_without_search() -> None:
    response, scripted = grow({"beam": 1, "max_segments": 2}, decide_retrieval=decides("continue"))
    assert scripted.count("retrieve") == 1
    written = scripted.events_of("generate")[-1]
    assert [one["passage_id"] for one in written["passages"]] == ["p1-0"]
    assert [citation["passage_id"] for citation in response["citations"]] == ["p1-0", "p1-0"]


def test_sentence_without_evidence_is_uncited_and_makes_answer_partial() -> None:
    response, scripted = grow({"beam": 1}, decide_retrieval=decides("no", "complete"))
    assert response["answer"] == "Sentence 1 of p1-0. Sentence 2 of nothing. [uncited]"
    assert (response["status"], len(response["citations"])) == ("partial", 1)
    assert scripted.count("grade_support") == 3
    assert node(response, "1.1")["passage_id"] is None


def test_forced_retrieval_decides_only_on_completion() -> None:
    policy = {"beam": 1, "retrieval": "always", "max_segments": 3}
    response, scripted = grow(policy, decide_retrieval=[steps.retrieval("no"), steps.retrieval("complete")])
    assert (scripted.count("retrieve"), scripted.count("decide_retrieval")) == (2, 2)
    assert (response["status"], response["reflection"]["retrieve"]) == ("answered", None)


# Follow-ups

EARLIER = {
    "id": {"S": "earlier"},
    "question": {"S": "How many days?"},
    "answer": {"S": "25 days."},
    "collections": {"L": [{"S": "c"}]},
    "evidence": {"L": [{"M": {"passage_id": {"S": f"p0-{n}"}, "score": {"N": "0.9"}}} for n in range(5)]},
    "expires_at": {"N": "99999999999"},
}


def test_a_follow_up_may_begin_with_the_evidence_of_the_earlier_answer() -> None:
    asked = {**ASKED, "previous": "earlier", "policy": {**POLICY, **ROOM, "strategy": "segments", "max_segments": 2}}
    said = [steps.retrieval("continue"), steps.retrieval("yes")]
    response, scripted = run(asked, EARLIER, generate=[next_sentence], decide_retrieval=said)
    first, second = scripted.events_of("retrieve")[:2]
    assert (first["passage_ids"], second["passage_ids"]) == (["p0-0", "p0-1", "p0-2"], [])
    assert response["queries"][0].startswith("How many days? Sentence 1")
    assert scripted.events_of("decide_retrieval")[0]["previous"] == {"question": "How many days?", "answer": "25 days."}


# Caps


def priced() -> dict[str, list[Any]]:
    """Return the usual replies, each for a thousandth of a dollar."""

    def of(reply: Any) -> Any:
        def told(event: dict[str, Any]) -> Any:
            result = reply(event) if callable(reply) else reply
            return {**result, "calls": [{**call, "cost_usd": 0.001} for call in result["calls"]]}

        return told

    usual = {**Scripted().script, "generate": [next_sentence]}
    asking = ("decide_retrieval", "grade_relevance", "generate", "grade_support", "grade_utility")
    return {step: [of(reply) for reply in usual[step]] for step in asking}


@pytest.mark.parametrize(
    ("policy", "stopped", "sentences", "calls"),
    [
        # Level 1 takes 10 calls and leaves room for the verdicts on two paths, level 2 takes 20 more.
        ({"max_model_calls": 31}, "calls", 1, 12),
        ({"max_model_calls": 32}, "calls", 2, 32),
        ({"max_model_calls": 80}, "depth", 4, 72),
        # Each costs a thousandth of a dollar.
        ({"max_cost_usd": 0.031}, "cost", 1, 12),
        ({"max_cost_usd": 0.0321}, "cost", 2, 32),
    ],
)
def test_level_beyond_a_limit_is_not_begun_and_the_best_is_partial(
    policy: dict[str, Any], stopped: str, sentences: int, calls: int
) -> None:
    response, _ = grow(policy, **priced())
    assert (response["status"], response["scores"]["stopped"]) == ("partial", stopped)
    assert response["answer"].count("Sentence") == sentences
    assert response["usage"]["model_calls"] == calls
    assert response["usage"]["model_calls"] <= policy.get("max_model_calls", 1000)
    assert response["usage"]["cost_usd"] <= policy.get("max_cost_usd", 1)


def test_past_the_deadline_no_level_is_begun() -> None:
    response, scripted = grow({"deadline_seconds": 0})
    assert (response["status"], response["scores"]["stopped"]) == ("partial", "deadline")
    assert scripted.count("retrieve") == 0


# Faults


@pytest.mark.parametrize("step", ["grade_relevance", "generate", "grade_support"])
@pytest.mark.parametrize("error", [TemporarilyUnavailable("busy"), KeyError("a bug")], ids=["busy", "bug"])
def test_one_passage_that_fails_does_not_fail_the_level(step: str, error: Exception) -> None:
    usual: Any = Scripted(generate=[next_sentence]).script[step][0]

    def fails(event: dict[str, Any]) -> Any:
        passages = [event.get("passage"), *event.get("passages", [])]
        if any(one and one["passage_id"] == "p1-0" for one in passages):
            raise error
        return usual(event) if callable(usual) else usual

    response, _ = grow({"max_segments": 2}, **{step: [fails]})
    assert response["answer"].startswith("Sentence 1 of p1-1.")
    name = step.title().replace("_", "")
    assert f"{name} gave no result ({type(error).__name__})." in response["usage"]["warnings"]
    reason = {"grade_relevance": "ungraded", "generate": "no_answer", "grade_support": "beam"}[step]
    assert node(response, "1")["reason"] == reason


@pytest.mark.parametrize("step", ["grade_relevance", "generate", "retrieve"])
def test_question_fails_with_the_step_that_always_fails(step: str) -> None:
    response, _ = grow(**{step: [KeyError("a bug")]})
    assert response["status"] == "failed"
    assert step.title().replace("_", "") in response["answer"]


def test_unrankable_level_falls_back_to_the_previous_beam() -> None:
    ranked = Scripted().script["rank_paths"][0]
    response, _ = grow(rank_paths=[ranked, KeyError("a bug")])
    assert (response["status"], response["answer"]) == ("partial", "Sentence 1 of p1-0.")
    assert "RankPaths gave no result (KeyError)." in response["usage"]["warnings"]
