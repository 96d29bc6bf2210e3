"""Faults of the model and the embedder: the outcome of a question, and the warnings of its response."""

from typing import Any

from selfrag import bootstrap
from selfrag.domain.errors import TemporarilyUnavailable
from tests.support.doubles.model_server import ModelServer
from tests.support.fakes import FailingEmbedder
from tests.support.local import PASSAGES, QUESTION, local_stack


def ask(model: ModelServer, **policy: Any) -> dict[str, Any]:
    # The longest deadline, so that retries end before it.
    payload = {**QUESTION, "policy": {"web_search": False, "deadline_seconds": 240, "top_k": 1, **policy}}
    with local_stack(model) as stack:
        execution = stack.execute(payload)
    assert execution.output is not None, execution.error
    return execution.output


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


def test_question_is_answered_with_warning_while_embedding_model_is_throttled() -> None:
    throttled = FailingEmbedder(TemporarilyUnavailable("throttled"))
    with ModelServer() as model, local_stack(model) as stack, bootstrap.using(embedder=throttled):
        execution = stack.execute(QUESTION)
    assert execution.output is not None, execution.error
    assert (execution.output["status"], execution.output["path"].count("Retrieve")) == ("answered", 1)
    (warning,) = execution.output["usage"]["warnings"]
    assert warning.endswith("this search was by full text alone.")


def test_answer_not_checked_in_time_is_partial() -> None:
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
