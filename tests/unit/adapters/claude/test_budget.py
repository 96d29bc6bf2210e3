"""A step never exceeds its budget: before each request, the remainder limits the length of the reply."""

import time
from typing import Any

import anthropic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfrag.adapters.claude.cost_budget import MAX_TOKENS, MIN_TOKENS, VERDICT_TOKENS, CostBudget, Kind
from selfrag.domain.calls import PRICES, Limits, ModelCall, cost_usd
from selfrag.domain.errors import HINTS, BudgetExceeded, Misconfigured
from selfrag.ports.model import Prompt, Source
from selfrag.question.grade_relevance.logic import Relevance
from selfrag.text.budgets import most_tokens
from tests.support.asking import MemoryCalls, claude_of
from tests.support.doubles.model_server import Fault, ModelServer

HAIKU, SONNET = "claude-haiku-5-5", "claude-sonnet-5-5"
RUBRIC = Prompt("Judge by the rubric. " * 200, "v1")
KINDS = st.sampled_from(["verdict", "answer"])


def request_of(text: str, model: str = SONNET, **mark: Any) -> dict[str, Any]:
    rubric = {"type": "text", "text": RUBRIC.text, **mark}
    return {"model": model, "system": [rubric], "messages": [{"role": "user", "content": [{"text": text}]}]}


def call_of(request: dict[str, Any], read: int, written: int, for_an_hour: int, output: int) -> ModelCall:
    call = ModelCall(
        step="generate",
        model=request["model"],
        started_at=0,
        ended_at=1,
        stop_reason="end_turn",
        input_tokens=read,
        output_tokens=output,
        cache_creation_input_tokens=written + for_an_hour,
        cache_creation_1h_input_tokens=for_an_hour,
    )
    return call.model_copy(update={"cost_usd": cost_usd(call, {})})


@given(st.text(max_size=3000), st.floats(0, 0.05), st.sampled_from([HAIKU, SONNET]), KINDS, st.data())
def test_whatever_is_asked_and_replied_costs_no_more_than_it_may(
    text: str, budget: float, model: str, kind: Kind, data: Any
) -> None:
    life = data.draw(st.sampled_from([None, "5m", "1h"]))
    request = request_of(text, model, **({"cache_control": {"type": "ephemeral", "ttl": life}} if life else {}))
    cost_budget, spent = CostBudget(budget, {}), 0.0
    for _ in range(4):
        try:
            tokens = cost_budget.tokens_for(request, kind)
        except BudgetExceeded:
            break
        assert MIN_TOKENS[kind] <= tokens <= MAX_TOKENS
        # The model counts at most one token per two bytes of natural text, and replies at full length.
        rubric, asked = len(RUBRIC.text) // 2, len(text.encode()) // 2
        wrote = {None: (0, 0), "5m": (rubric, 0), "1h": (0, rubric)}[life]
        call = call_of(request, asked + (0 if life else rubric), *wrote, tokens)
        cost_budget.book_cost(call)
        assert call.cost_usd is not None
        spent += call.cost_usd
    assert spent <= budget + 1e-12


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        # Three bytes a token for English, 1.3 tokens a character for Japanese, every sign of JSON its own.
        ("How many days of leave do I have after ten years of service? " * 20, 20 * 20),
        ("勤続十年の場合、年次有給休暇は何日もらえますか。" * 20, 20 * 32),
        ('{"score": 0.93, "reason": "25 days, p. 7"}' * 20, 20 * 24),
    ],
)
def test_the_estimate_is_above_what_a_text_takes_and_not_far(text: str, tokens: int) -> None:
    assert tokens < most_tokens(text) < 3 * tokens


def test_without_a_budget_nothing_is_estimated_and_a_price_is_not_needed() -> None:
    assert CostBudget(None, {}).tokens_for(request_of("?", "a-model"), "answer") == MAX_TOKENS


def test_budget_needs_model_price() -> None:
    with pytest.raises(Misconfigured, match="price of a-model: give it in `prices` \\(SELFRAG_PRICES\\)"):
        CostBudget(1.0, {}).tokens_for(request_of("?", "a-model"), "answer")
    assert CostBudget(1.0, {"a-model": (1, 2, 0.1)}).tokens_for(request_of("?", "a-model"), "answer") == MAX_TOKENS


def judge(server: ModelServer, budget_usd: float, recent: MemoryCalls | None = None, seconds: float = 20.0) -> Any:
    client = anthropic.Anthropic(api_key="k", base_url=server.url, max_retries=0)
    limits = Limits(deadline_ms=1000 * (time.time() + 25), budget_usd=budget_usd)
    claude = claude_of(client, seconds=seconds, limits=limits, recent=recent)
    return claude.judge("grade_relevance", RUBRIC, {"question": "?"}, Relevance)


def test_a_small_budget_makes_the_reply_shorter() -> None:
    with ModelServer() as server:
        judge(server, 1.0)
        judge(server, 0.0007)
        judge(server, 0.0007, MemoryCalls(60.0))
    plenty, few, fewer = (request["max_tokens"] for request in server.requests)
    assert plenty == VERDICT_TOKENS > few > fewer > MIN_TOKENS["verdict"]


def test_budget_below_one_verdict_sends_no_request() -> None:
    with ModelServer() as server, pytest.raises(BudgetExceeded, match="max_cost_usd buys no verdict"):
        judge(server, 0.0001)
    assert server.requests == []
    assert "max_cost_usd" in HINTS["BudgetExceeded"]


@pytest.mark.parametrize("fault", [429, 500, 502, 503, 529])
def test_failed_requests_cost_nothing_and_are_retried(fault: Fault) -> None:
    with ModelServer(lambda step, n: fault if n < 4 else None) as server:
        judgement = judge(server, 0.0007)
    assert (judgement.flaw, judgement.attempts) == (None, 4)
    assert len({request["max_tokens"] for request in server.requests}) == 1


@pytest.mark.parametrize("fault", ["dropped", "timeout", "HTML", "empty body", "no usage"])
def test_a_request_without_a_reply_costs_its_input_at_the_most(fault: Fault) -> None:
    with ModelServer(lambda step, n: fault if n == 1 else None) as server:
        judgement = judge(server, 0.0007, seconds=0.2 if fault == "timeout" else 20.0)
    first, second = (request["max_tokens"] for request in server.requests)
    sent = {name: value for name, value in server.requests[0].items() if name != "max_tokens"}
    assert (judgement.flaw, judgement.attempts) == (None, 2)
    assert 0 <= (first - second) * PRICES[HAIKU][1] <= (most_tokens(sent) + 400) * PRICES[HAIKU][0]


def test_unaffordable_retry_raises_the_previous_error() -> None:
    with ModelServer(lambda step, n: "dropped") as server:
        judgement = judge(server, 0.0005)
        assert server.counts["grade_relevance"] == judgement.attempts == 1
    assert (judgement.flaw, judgement.error) == ("unavailable", "TemporarilyUnavailable")
    assert "cost" not in judgement.cause


def test_the_second_request_of_a_step_gets_what_the_first_has_left() -> None:
    price = PRICES[SONNET][1]
    with ModelServer() as server:
        client = anthropic.Anthropic(api_key="k", base_url=server.url, max_retries=0)
        claude = claude_of(client, limits=Limits(budget_usd=0.03))
        first = claude.write("generate", RUBRIC, [Source("a.md", "", ("One.",))], {}).call
        claude.write("generate", RUBRIC, [Source("a.md", "", ("One.",))], {})
    assert first is not None
    one, two = (request["max_tokens"] for request in server.requests)
    assert (one - two) * price / 1e6 == pytest.approx(first.cost_usd, abs=price / 1e6)
