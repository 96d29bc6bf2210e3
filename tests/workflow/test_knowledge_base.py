"""Whole questions over a knowledge base of Bedrock: what its connectors deliver is graded, cited and checked."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.support.asking import Skipping
from tests.support.aws.stack import LocalStack, deployed_handlers, running_stack
from tests.support.doubles.knowledge_base_double import ID, KnowledgeBaseDouble, chunk
from tests.support.doubles.model_server import ModelServer
from tests.support.grids import some_of
from tests.support.local import QUESTION, forget_verdicts
from tests.support.roles.calls import HERE
from tests.support.roles.recorded import Calls, as_caller, recording

STRATEGIES = ("self_rag", "naive", "corrective", "adaptive", "candidates", "segments")
# The first two have no check of answers, and the model's double never reports a complete answer to the third.
STATUS = dict.fromkeys(("naive", "corrective", "segments"), "partial")
PAGE = {"x-amz-bedrock-kb-document-page-number": 2}
CHUNKS = [
    chunk(f"Fact number {n} is {n * 10} days. More follows.", f"s3://docs/{n}.pdf", collection="c", **PAGE)
    for n in range(6)
]
THEIRS = chunk("Fact of others is how many days. More follows.", "s3://theirs/1.pdf", collection="d")
SEARCH = ("retrieve", "bedrock:Retrieve", f"arn:aws:bedrock:{HERE}:knowledge-base/{ID}")


@contextmanager
def searching(*chunks: Any, **environment: str) -> Iterator[tuple[LocalStack, KnowledgeBaseDouble, ModelServer, Calls]]:
    with ModelServer() as model, KnowledgeBaseDouble(*chunks) as base:
        settings = {
            "AWS_ENDPOINT_URL_BEDROCK_AGENT_RUNTIME": base.url,
            "SELFRAG_KNOWLEDGE_BASE_ID": ID,
            "SELFRAG_MODEL_BASE_URL": model.url,
            "SELFRAG_MODEL_SECRET": "model-key",
            **environment,
        }
        handlers = {name: as_caller(name, handler) for name, handler in deployed_handlers().items()}
        made: Any = {"parts": {"clock": Skipping().clock}, "handlers": handlers}
        with (
            running_stack(settings, {"model-key": "test-key"}, **made, pause=lambda seconds: None) as stack,
            recording() as calls,
        ):
            forget_verdicts()
            yield stack, base, model, calls


def ask(stack: LocalStack, strategy: str = "self_rag", **changes: Any) -> dict[str, Any]:
    execution = stack.execute({**QUESTION, "policy": {**QUESTION["policy"], "strategy": strategy}, **changes})
    assert execution.output is not None, execution.error
    return execution.output


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_answer_cites_results_verbatim_and_needs_one_role(strategy: str) -> None:
    with searching(THEIRS, *CHUNKS) as (stack, base, _, calls):
        response = ask(stack, strategy)
    assert response["status"] == STATUS.get(strategy, "answered")
    texts = {result["metadata"]["x-amz-bedrock-kb-source-uri"]: result["content"]["text"] for result in CHUNKS}
    assert response["citations"]
    for citation in response["citations"]:
        assert citation["quote"] in texts[citation["document"]]
        assert (citation["collection"], citation["document_id"], citation["page"]) == ("c", None, 2)
        assert (citation["heading"], citation["locator"]) == ("", "")
    assert {each for each in calls if each[0] == "retrieve"} == {SEARCH}
    assert all(each == {"in": {"key": "collection", "value": ["c"]}} for each in base.filters)


@pytest.mark.parametrize("strategy", some_of(STRATEGIES, "self_rag", "candidates"))
def test_a_caller_without_the_collection_gets_nothing_of_it(strategy: str) -> None:
    for one_collection in ({}, {"SELFRAG_KNOWLEDGE_BASE_COLLECTION": "c"}):
        with searching(*CHUNKS, **one_collection) as (stack, _, model, _):
            response = ask(stack, strategy, collections=["d"])
            assert response["status"] == "abstained"
            assert response["citations"] == []
            assert all("Fact number" not in str(body) for body in model.requests)


@pytest.mark.parametrize("strategy", some_of(STRATEGIES, "self_rag", "candidates"))
def test_continued_follow_up_searches_again_since_results_lack_ids(strategy: str) -> None:
    with searching(*CHUNKS) as (stack, base, model, _):
        first = ask(stack)
        searched = len(base.requests)
        model.answers["decide_retrieval"] = lambda body: {
            "reason": "r", "decision": "continue" if "previous" in str(body) else "yes", "query": "How many days?",
        }  # fmt: skip
        second = ask(stack, strategy, previous=first["id"])
        assert len(base.requests) > searched
    assert second["status"] == STATUS.get(strategy, "answered")
    assert second["citations"]


@pytest.mark.parametrize(
    ("code", "cause"), [("AccessDeniedException", "Misconfigured"), ("ValidationException", "RequestRejected")]
)
def test_a_knowledge_base_that_refuses_ends_the_question_with_its_cause(code: str, cause: str) -> None:
    with searching(*CHUNKS) as (stack, base, _, _):
        base.error = code
        execution = stack.execute(QUESTION)
    assert execution.output is not None
    assert execution.output["status"] in ("failed", "abstained", "partial")
    assert cause in str(execution.history)


def test_results_without_text_are_named_in_response() -> None:
    picture = {**chunk("", collection="c"), "content": {"type": "IMAGE", "byteContent": "data:image/png;base64,AA"}}
    with searching(picture, *CHUNKS) as (stack, _, _, _):
        response = ask(stack)
    assert response["status"] == "answered"
    assert (
        "Results of the knowledge base that hold no text to cite were left out: 1 IMAGE."
        in response["usage"]["warnings"]
    )
