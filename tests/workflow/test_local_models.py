"""A whole question by a local model: Ollama, llama.cpp and vLLM, through the deployed steps."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.support.aws.stack import LocalStack
from tests.support.doubles.chat_server import (
    KINDS,
    Body,
    ChatServer,
    Kind,
    schema_of,
    step_of,
)
from tests.support.grids import pairs, some_of
from tests.support.local import PASSAGES, QUESTION, forget_verdicts, local_stack

STRATEGIES = ("naive", "self_rag", "corrective", "adaptive", "candidates", "segments")
# The servers differ in their protocol: what follows from a reply is the same for all.
ONE_KIND = pytest.mark.parametrize("kind", some_of(KINDS, "llama.cpp"))
TEXTS = {passage.passage_id: passage.text for passage in PASSAGES}


@contextmanager
def asked_of(server: ChatServer, **environment: str) -> Iterator[LocalStack]:
    model: Any = server
    with (
        server,
        local_stack(model, SELFRAG_MODEL="qwen3:8b", SELFRAG_MODEL_URL=f"{server.url}/v1", **environment) as stack,
    ):
        yield stack


def answer(server: ChatServer, **policy: Any) -> dict[str, Any]:
    with asked_of(server) as stack:
        execution = stack.execute({**QUESTION, "policy": {"web_search": False, "deadline_seconds": 180, **policy}})
    assert execution.output is not None, execution.error
    response = execution.output
    for citation in response["citations"]:
        assert citation["quote"]
        assert citation["quote"] in TEXTS[citation["passage_id"]]
    return response


@pytest.mark.parametrize(("kind", "strategy"), pairs(KINDS, STRATEGIES))
def test_each_strategy_answers_with_quotes_by_each_server_and_nothing_is_paid(kind: Kind, strategy: str) -> None:
    server = ChatServer(kind)
    response = answer(server, strategy=strategy)
    # These two check no answer.
    assert response["status"] == ("partial" if strategy in ("naive", "corrective") else "answered"), response
    assert response["citations"]
    assert "[" not in response["answer"]
    assert response["usage"]["cost_usd"] == 0
    assert {body["model"] for body in server.requests} == {"qwen3:8b"}


def prose_by_schema(body: Body, text: str) -> str:
    """Ignore a schema in the form of a request, and write JSON in a fence where the words ask for it."""
    if "response_format" in body:
        return "I would say so."
    return f"Here it is:\n```json\n{text}\n```\nDone." if schema_of(body) else text


@pytest.mark.parametrize(("schemas", "kind"), pairs(("ignored", "rejected"), KINDS))
def test_unsupported_schema_is_not_sent_with_next_question(kind: Kind, schemas: Any) -> None:
    server = ChatServer(kind, schemas=schemas, spoil=prose_by_schema)
    with asked_of(server) as stack:
        for expected in (True, False):
            before = len(server.requests)
            response = stack.execute(QUESTION).output
            assert response is not None
            assert response["status"] == "answered", response
            assert any("response_format" in body for body in server.requests[before:]) == expected
            forget_verdicts()


SPOILED_VERDICTS = {
    "prose": "I would say that it is so.",
    "a wrong field": '{"reasons": "r", "grade": 0.9}',
    "a value out of range": '{"reason": "r", "score": 7, "decision": "perhaps", "claims": []}',
    "cut off": '{"reason": "it',
    "thoughts without an end": "<think>It says 10 days, so",
    "nothing": "",
}


@pytest.mark.parametrize(("kind", "words"), pairs(KINDS, list(SPOILED_VERDICTS.values())))
def test_unparsable_verdict_is_ungraded_and_never_a_pass(kind: Kind, words: str) -> None:
    server = ChatServer(kind, schemas="ignored")
    server.spoil = lambda body, text: words if step_of(body) in ("grade_support", "grade_utility") else text
    response = answer(server)
    assert response["status"] == "partial", response
    assert response["reflection"]["support"]["level"] == "ungraded"
    assert response["reflection"]["utility"]["score"] is None


@pytest.mark.parametrize("close", ["<think>Two days? [9]</think>\n", "Two days? [9]</think>\n"])
def test_thoughts_in_tags_are_no_part_of_an_answer_or_a_verdict(close: str) -> None:
    response = answer(ChatServer("llama.cpp", schemas="ignored", spoil=lambda body, text: close + text))
    assert response["status"] == "answered", response
    assert "think" not in response["answer"]
    assert "Two days" not in response["answer"]
    assert not any("[9]" in warning for warning in response["usage"]["warnings"])


@ONE_KIND
def test_too_small_window_gives_a_reason_instead_of_verdict_or_answer(kind: Kind) -> None:
    response = answer(ChatServer(kind, window=40))
    assert response["status"] == "failed", response
    assert response["citations"] == []
    assert "longer than the model can read" in str(response)
