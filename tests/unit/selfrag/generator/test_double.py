"""The double of a vLLM server is strict: what vLLM refuses it refuses alike, and what vLLM swallows it tells of."""

import json
import math
from typing import Any

import httpx2
import pytest

from selfrag.adapters.generators.requests import body_of
from selfrag.domain.scores.generated import NEVER
from selfrag.domain.scores.prompts import asking, with_passage
from selfrag.domain.scores.vocabulary import IDS, Vocabulary
from tests.support.doubles.vllm import CANDIDATES_EXAMPLE, SEGMENTS_EXAMPLE, VllmDouble

VOCABULARY = Vocabulary(IDS)
BEGUN = asking(CANDIDATES_EXAMPLE.question)
GOOD = with_passage(BEGUN, "d1", CANDIDATES_EXAMPLE.passages["d1"])
TREE = asking(SEGMENTS_EXAMPLE.question)


def body(prompt: str = GOOD, stops: tuple[int, ...] = (), most: int = 100, **change: Any) -> dict[str, Any]:
    """A request as it should be, but for what is changed; what is changed to "" is left out."""
    whole = {**body_of([prompt], most, stops, VOCABULARY, "selfrag/selfrag_llama2_7b"), **change}
    return {name: value for name, value in whole.items() if value != ""}


def post(double: VllmDouble, sent: dict[str, Any], path: str = "/v1/completions") -> tuple[int, Any]:
    reply = httpx2.Client(trust_env=False).post(double.url + path, content=json.dumps(sent), timeout=10)
    return reply.status_code, reply.json() if reply.text else None


@pytest.mark.parametrize(
    ("sent", "status", "says"),
    [
        (body(logprobs=5000), 400, "Requested sample logprobs of 5000, which is greater than max allowed: 20"),
        (body(logprobs=""), 400, "when using `logprob_token_ids`, `logprobs` must be set."),
        (body(model="another"), 404, "The model `another` does not exist."),
        (body(with_passage(BEGUN, "d1", "word " * 4100)), 400, "maximum context length is 4096 tokens"),
    ],
)
def test_what_vllm_refuses_is_refused_in_its_words(sent, status, says) -> None:
    with VllmDouble(CANDIDATES_EXAMPLE) as double:
        refused, reply = post(double, sent)
    assert (refused, double.wrong) == (status, [])
    assert says in reply["error"]["message"]
    assert reply["error"]["code"] == status


SIBLING = "[Relevant]Leave is 25 days a year.[Fully supported][Relevant]All staff have 25 days.[Fully supported]"


@pytest.mark.parametrize(
    ("scenario", "sent"),
    [
        (CANDIDATES_EXAMPLE, body(f"{GOOD} ")),
        (CANDIDATES_EXAMPLE, body(GOOD.replace("Response:\n", "Response: "))),
        (CANDIDATES_EXAMPLE, body(GOOD + GOOD[len(BEGUN) :])),
        (CANDIDATES_EXAMPLE, body(GOOD.replace("25 days", "[Fully supported]"))),
        (CANDIDATES_EXAMPLE, body(GOOD.replace("How many", "[Relevant] How many"))),
        (CANDIDATES_EXAMPLE, body(with_passage(BEGUN, "", "Another passage."))),
        (CANDIDATES_EXAMPLE, body(temperature=0.7)),
        (CANDIDATES_EXAMPLE, body(skip_special_tokens="")),
        (CANDIDATES_EXAMPLE, body(logprob_token_ids="")),
        (CANDIDATES_EXAMPLE, body(best_of=2)),
        (CANDIDATES_EXAMPLE, body(stops=(32000, 32001, 32002))),
        (SEGMENTS_EXAMPLE, body(with_passage(TREE, "d1", SEGMENTS_EXAMPLE.passages["d1"]))),
        (
            SEGMENTS_EXAMPLE,
            body(with_passage(TREE + SIBLING, "e1", SEGMENTS_EXAMPLE.passages["e1"]), (32000, 32001, 32002)),
        ),
    ],
)
@pytest.mark.parametrize("version", ["0.15", "0.33"])
def test_what_vllm_would_swallow_fails_the_test_that_sends_it(scenario, sent, version) -> None:
    with VllmDouble(scenario, version) as double:
        status, _ = post(double, sent)
    assert (status, len(double.wrong)) == (400, 1)


@pytest.mark.parametrize(("version", "listed"), [("0.15", 20), ("0.33", 13)])
def test_an_older_server_ignores_the_ids_that_it_is_asked_for_and_lists_the_likeliest(version, listed) -> None:
    with VllmDouble(CANDIDATES_EXAMPLE, version) as double:
        _, reply = post(double, body())
    told = reply["choices"][0]["logprobs"]
    assert len(told["top_logprobs"][0]) == listed
    # A word is listed with what was asked for, or among the likeliest.
    assert len(told["top_logprobs"][1]) == {20: 20, 13: 14}[listed]


@pytest.mark.parametrize("path", ["/v1/completions", "/invocations"])
def test_a_reply_has_vllms_shape_and_its_numbers_are_probabilities_of_a_greedy_writer(path) -> None:
    with VllmDouble(CANDIDATES_EXAMPLE) as double:
        _, reply = post(double, body(), path)
    (choice,) = reply["choices"]
    told = choice["logprobs"]
    assert (choice["finish_reason"], choice["stop_reason"], choice["token_ids"][-1]) == ("stop", None, 2)
    assert told["tokens"] == [f"token_id:{one}" for one in choice["token_ids"]]
    assert len({len(told[name]) for name in told}) == 1
    usage = reply["usage"]
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]
    assert (usage["prompt_tokens"], usage["completion_tokens"]) == (double.input_tokens, len(choice["token_ids"]))
    for token, logprob, listed in zip(told["tokens"], told["token_logprobs"], told["top_logprobs"], strict=True):
        assert sum(math.exp(one) for one in listed.values() if one > NEVER) <= 1 + 1e-9
        assert listed[token] == logprob == max(listed.values())


def test_a_call_that_is_not_signed_for_sagemaker_is_refused() -> None:
    with VllmDouble(CANDIDATES_EXAMPLE) as double:
        status, _ = post(double, body(), "/endpoints/selfrag/invocations")
    assert (status, len(double.wrong), double.requests) == (403, 1, 0)
