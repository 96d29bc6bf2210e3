"""Every step fed with every fault, at its first call or always: it ends, within four calls, with a stated outcome."""

from typing import Any

import pytest

from selfrag import bootstrap
from selfrag.domain.errors import TemporarilyUnavailable
from tests.support.doubles.model_server import Fault, ModelServer
from tests.support.fakes import FailingEmbedder
from tests.support.local import PASSAGES, QUESTION, local_stack

FAULTS: list[Fault] = [429, 529, 500, "timeout", "malformed", "refusal", "cut"]
NO_REPLY: tuple[Fault, ...] = (429, 529, 500, "timeout")
MODEL_STEPS = ["decide_retrieval", "grade_relevance", "generate", "grade_support", "grade_utility", "rewrite_question"]
STATUSES = {"answered", "partial", "abstained", "failed"}


def ask(model: ModelServer, patience: str = "20", **policy: Any) -> dict[str, Any]:
    # The longest deadline: what is shown is that retries end by themselves.
    payload = {**QUESTION, "policy": {"web_search": False, "deadline_seconds": 240, "top_k": 1, **policy}}
    with local_stack(model, SELFRAG_MODEL_TIMEOUT_SECONDS=patience) as stack:
        execution = stack.execute(payload)
    assert execution.output is not None, execution.error
    return execution.output


def irrelevant(body: Any) -> Any:
    return {"reason": "r", "score": 0.0}


@pytest.mark.parametrize("always", [False, True], ids=["first", "always"])
@pytest.mark.parametrize("fault", FAULTS, ids=str)
@pytest.mark.parametrize("step", MODEL_STEPS)
def test_a_fault_ends_in_a_stated_outcome_within_four_calls(step: str, fault: Fault, always: bool) -> None:
    with ModelServer(lambda asked, n: fault if asked == step and (always or n == 1) else None) as model:
        if step == "rewrite_question":
            model.answers["grade_relevance"] = irrelevant
        response = ask(model, "0.5" if fault == "timeout" else "20", max_rewrites=1)
        calls = model.counts[step]
    # IsRel judges one passage a call and there is one passage a search.
    searches = len(response["queries"]) if step == "grade_relevance" else 1
    assert calls <= 4 * searches
    assert response["status"] == expected_status(step, fault, always), response
    if response["status"] == "failed":
        assert "could not be answered because a step failed" in response["answer"]
    if fault in NO_REPLY and always:
        assert calls == 4
        assert any("TemporarilyUnavailable" in warning for warning in response["usage"]["warnings"])
    assert response["usage"]["model_calls"] == sum(model.counts.values())


def expected_status(step: str, fault: Fault, always: bool) -> str:
    """The stated outcome: what can be retried is, a missing verdict is never a pass, and no fault is 'not found'."""
    if fault in NO_REPLY and not always:
        return "abstained" if step == "rewrite_question" else "answered"
    if step == "grade_support" and not always:
        return "answered"  # the second judge of support is asked where the first gives no verdict
    return {
        "decide_retrieval": "answered",  # without a verdict the documents are searched
        "grade_relevance": "failed",  # nothing graded, so nothing is evidence
        "generate": "failed",  # of a cut answer the whole sentences would stay, and here there are none
        "grade_support": "partial",  # the answer goes out as not checked
        "grade_utility": "partial",
        "rewrite_question": "abstained",  # nothing else to search for
    }[step]


@pytest.mark.parametrize("step", MODEL_STEPS)
def test_a_refusal_that_asks_for_more_time_than_there_is_ends_its_step_at_once(step: str) -> None:
    with ModelServer(lambda asked, n: 429 if asked == step else None) as model:
        model.headers[429] = {"retry-after": "120"}
        if step == "rewrite_question":
            model.answers["grade_relevance"] = irrelevant
        response = ask(model, max_rewrites=1)
    # Support has two judges: where the first gives no verdict the other is asked.
    judgements = {"grade_relevance": len(response["queries"]), "grade_support": 2}.get(step, 1)
    assert 1 <= model.counts[step] <= judgements
    assert response["status"] == expected_status(step, 429, always=True), response


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413])
def test_what_cannot_get_better_is_not_tried_again(status: int) -> None:
    with ModelServer(lambda step, n: status) as model:
        response = ask(model)
    assert response["status"] == "failed"
    assert max(model.counts.values()) == 1


def test_one_passage_without_a_verdict_does_not_stop_the_others() -> None:
    with ModelServer() as model:
        first = PASSAGES[0].text
        model.answers["grade_relevance"] = lambda body: (
            "no JSON" if first in body["messages"][0]["content"][0]["text"] else {"reason": "", "score": 1}
        )
        response = ask(model, top_k=4)
    assert response["status"] == "answered"
    assert [v["label"] for v in response["reflection"]["relevance"]].count("ungraded") == 1
    assert "p0" not in [citation["passage_id"] for citation in response["citations"]]


def test_a_question_is_answered_while_the_embedding_model_is_throttled_and_the_response_says_how() -> None:
    throttled = FailingEmbedder(TemporarilyUnavailable("throttled"))
    with ModelServer() as model, local_stack(model) as stack, bootstrap.using(embedder=throttled):
        execution = stack.execute(QUESTION)
    assert execution.output is not None, execution.error
    assert (execution.output["status"], execution.output["path"].count("Retrieve")) == ("answered", 1)
    (warning,) = execution.output["usage"]["warnings"]
    assert warning.endswith("this search was by full text alone.")


def test_a_stalled_model_ends_at_the_deadline_as_partial() -> None:
    with (
        ModelServer(lambda step, n: "timeout" if step == "generate" else None) as model,
        local_stack(model) as stack,
    ):
        execution = stack.execute({**QUESTION, "policy": {"deadline_seconds": 3, "web_search": False}})
    assert execution.output is not None
    assert execution.output["status"] == "partial"
    assert "ran out" in execution.output["answer"]
    assert "The deadline was reached." in execution.output["usage"]["warnings"]


def test_an_answer_that_could_not_be_checked_in_time_goes_out_as_partial() -> None:
    with (
        ModelServer(lambda step, n: "timeout" if step == "grade_support" else None) as model,
        local_stack(model) as stack,
    ):
        execution = stack.execute({**QUESTION, "policy": {"deadline_seconds": 3, "web_search": False}})
    assert execution.output is not None
    assert execution.output["status"] == "partial"
    assert "Fact number 0 is 0 days." in execution.output["answer"]
    assert execution.output["reflection"]["support"]["level"] == "ungraded"
    assert "Not checked: whether the passages support the answer." in execution.output["usage"]["warnings"]
