"""A whole question by other vendors' models on Bedrock, through the deployed steps and the Converse API."""

import json
from typing import Any

import pytest

from selfrag.runtime.models import DEFAULT_MODELS
from tests.support.aws.stack import LocalStack
from tests.support.doubles.bedrock_double import STRUCTURED, BedrockServer
from tests.support.doubles.converse_double import LLAMA, MISTRAL, NOVA, SILENT, ConverseServer, way_of
from tests.support.grids import pairs, some_of
from tests.support.local import PASSAGES, QUESTION, forget_verdicts, local_stack

# Unit tests hold what each of these is read as.
STOPS = ("content_filtered", "guardrail_intervened", "max_tokens", "malformed_tool_use")
KINDS = (NOVA, LLAMA, MISTRAL)
STRATEGIES = ("naive", "self_rag", "corrective", "adaptive", "candidates", "segments")
TEXTS = {passage.passage_id: passage.text for passage in PASSAGES}
# Not the vendors' prices: `candidates` has a cost limit.
PRICES = json.dumps({"nova-pro": [0.1, 0.4, 0.02], "llama3-3": [0.2, 0.2, 0], "mistral-7b": [0.15, 0.2, 0]})


def stack_at(server: Any, model: str, **models: str) -> Any:
    chosen = {**dict.fromkeys(DEFAULT_MODELS, model), **models}
    return local_stack(
        server,
        also_allows=lambda who, action, resource: action == "bedrock:InvokeModel",
        SELFRAG_MODEL_PROVIDER="bedrock",
        SELFRAG_PROFILE="strict",
        SELFRAG_MODELS=json.dumps(chosen),
        SELFRAG_PRICES=PRICES,
        AWS_REGION="us-east-1",
        AWS_DEFAULT_REGION="us-east-1",
    )


def answer(stack: LocalStack, **policy: Any) -> dict[str, Any]:
    execution = stack.execute({**QUESTION, "policy": {"web_search": False, **policy}})
    assert execution.output is not None, execution.error
    for citation in execution.output["citations"]:
        assert citation["quote"]
        assert citation["quote"] in TEXTS[citation["passage_id"]]
    return execution.output


@pytest.mark.parametrize(("model", "strategy"), pairs(KINDS, STRATEGIES))
def test_each_strategy_answers_with_quotes_and_cost_by_each_model_kind(model: str, strategy: str) -> None:
    with ConverseServer() as server, stack_at(server, model) as stack:
        response = answer(stack, strategy=strategy)
    assert response["status"] == ("partial" if strategy in ("naive", "corrective") else "answered"), response
    assert response["citations"]
    assert "[" not in response["answer"]
    assert response["usage"]["cost_usd"] > 0
    assert response["usage"]["input_tokens"] > 0


@pytest.mark.parametrize(
    ("model", "ways"),
    [
        (NOVA, ["forced"]),
        (LLAMA, ["forced", "offered"]),
        (MISTRAL, ["forced", "offered", "words"]),
        (SILENT, ["forced", "offered", "words"]),
    ],
)
def test_verdict_uses_the_accepted_output_mode_from_the_next_question_on(model: str, ways: list[str]) -> None:
    with ConverseServer() as server, stack_at(server, model) as stack:
        for expected in (ways, ways[-1:]):
            before = len(server.bodies)
            assert answer(stack)["status"] == "answered"
            asked = [way_of(body) for body in server.bodies[before:] if way_of(body)]
            assert list(dict.fromkeys(asked)) == expected
            forget_verdicts()


def test_claude_and_other_vendor_share_question_by_their_own_apis() -> None:
    class Both(ConverseServer):
        def _answer(self, request: Any) -> Any:
            return claude.app(request) if request.path.endswith("/invoke") else super()._answer(request)

    claude = BedrockServer()
    with claude, Both() as server, stack_at(server, STRUCTURED, generate=NOVA) as stack:
        response = answer(stack)
    assert response["status"] == "answered", response
    assert {way_of(body) for body in server.bodies} == {""}
    assert {model for model, *_ in claude.requests} == {STRUCTURED}


@pytest.mark.parametrize(
    ("status", "code", "words"),
    [
        (429, "ThrottlingException", "Too many requests"),
        (403, "AccessDeniedException", "You don't have access to the model with the specified model ID."),
        (429, "ModelNotReadyException", "The model is not ready"),
        (408, "ModelTimeoutException", "timeout"),
        (424, "ModelErrorException", "error"),
        (503, "ServiceUnavailableException", "no"),
        (500, "InternalServerException", "no"),
        (404, "ResourceNotFoundException", "This model version has reached the end of its life."),
        (400, "ValidationException", "Invocation of model ID with on-demand throughput isn't supported. "
         "Retry with the ID of an inference profile."),
        (400, "ValidationException", "Input is too long for requested model."),
        (400, "ValidationException", "messages: something else"),
    ],
)  # fmt: skip
def test_a_refusal_ends_the_question_without_an_answer_and_without_a_cost(status: int, code: str, words: str) -> None:
    with ConverseServer() as server, stack_at(server, NOVA) as stack:
        server.error = (status, code, words)
        response = answer(stack)
    # Retries of a throttled call may take the time of the question.
    assert response["status"] in (("failed", "partial") if status == 429 else ("failed",)), response
    assert (response["citations"], response["usage"]["cost_usd"]) == ([], 0)


def test_a_window_that_is_too_small_says_so() -> None:
    with ConverseServer(window=40) as server, stack_at(server, NOVA) as stack:
        response = answer(stack)
    assert response["status"] == "failed"
    assert "longer than the model can read" in str(response)


def test_a_model_that_allows_fewer_tokens_is_asked_for_fewer() -> None:
    with ConverseServer(most_tokens=2048) as server, stack_at(server, NOVA) as stack:
        assert answer(stack)["status"] == "answered"
    assert server.bodies[-1]["inferenceConfig"]["maxTokens"] < 2048


def test_unpriced_model_has_no_cost_and_is_refused_under_a_budget() -> None:
    with ConverseServer() as server, stack_at(server, SILENT) as stack:
        assert answer(stack, strategy="naive")["usage"]["cost_usd"] is None
        forget_verdicts()
        before = len(server.bodies)
        assert answer(stack, max_cost_usd=0.5)["status"] == "failed"
    assert len(server.bodies) == before


@pytest.mark.parametrize("stop", some_of(STOPS, "content_filtered"))
def test_a_stopped_reply_is_no_verdict(stop: str) -> None:
    with ConverseServer(finish=stop) as server, stack_at(server, NOVA) as stack:
        response = answer(stack)
    assert response["status"] in ("failed", "abstained", "partial"), response
    assert all(verdict["score"] is None for verdict in response["reflection"]["relevance"])
