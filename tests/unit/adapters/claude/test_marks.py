"""A prompt is marked for the service's cache when it will probably be read there, for as long as the prices favour."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import anthropic
import boto3
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from moto import mock_aws

from selfrag.adapters.claude.capabilities import Capabilities
from selfrag.adapters.claude.cost_budget import CostBudget
from selfrag.adapters.claude.messages import cheapest_life, mark_for
from selfrag.adapters.claude.profiles import profile_of
from selfrag.adapters.claude.sdk import SdkClaude
from selfrag.adapters.recent_calls import DynamoCalls
from selfrag.domain.calls import PRICES, ModelCall, cost_usd
from selfrag.ports.model import Prompt
from selfrag.question.grade_relevance.logic import Relevance
from selfrag.runtime.clock import Clock
from selfrag.runtime.pace import Pace
from selfrag.runtime.settings import DEFAULT_MODELS
from tests.support.asking import claude_of
from tests.support.doubles.model_server import ModelServer
from tests.support.tables import make_verdicts_table

HAIKU, SONNET = "claude-haiku-5-5", "claude-sonnet-5-5"
RUBRIC = Prompt("Judge by the rubric. " * 200, "v1")
FIVE_MINUTES, HOUR = {"type": "ephemeral"}, {"type": "ephemeral", "ttl": "1h"}
MINUTE = 60.0


@given(st.lists(st.floats(0.1, 20_000), min_size=1, max_size=8), st.floats(0.01, 0.5))
@example([3600.0] * 8, 0.1)
@example([300.0] * 8, 0.1)
def test_the_choice_is_the_one_that_costs_least(intervals: list[float], read: float) -> None:
    # A read where the last use was less than a life ago, which the next is sure to be only with a margin.
    within_5m = sum(interval < 285 for interval in intervals) / len(intervals)
    within_1h = sum(interval < 3420 for interval in intervals) / len(intervals)
    costs = {
        None: 1.0,
        "5m": within_5m * read + (1 - within_5m) * 1.25,
        "1h": within_1h * read + (1 - within_1h) * 2.0,
    }
    chosen = cheapest_life(intervals, read)
    assert costs[chosen] == pytest.approx(min(costs.values()))


@pytest.mark.parametrize(
    ("intervals", "life"),
    [
        ([], None),
        ([MINUTE], "5m"),
        ([20 * MINUTE], "1h"),
        ([60 * MINUTE], None),
        ([5 * MINUTE], "1h"),
        ([MINUTE, 60 * MINUTE, MINUTE, 60 * MINUTE], "5m"),
        ([30 * MINUTE, 120 * MINUTE], None),
        ([MINUTE, 30 * MINUTE, 30 * MINUTE, 30 * MINUTE], "1h"),
    ],
)
def test_a_prompt_is_kept_for_as_long_as_its_questions_are_apart(intervals: list[float], life: str | None) -> None:
    assert cheapest_life(intervals, 0.1) == life


def test_cheaper_cache_reads_make_cache_marks_pay_sooner() -> None:
    # Half of the calls come within the hour: written at twice the price and read at a twentieth is 1.03, never paid.
    apart = [30 * MINUTE, 30 * MINUTE, 30 * MINUTE, 30 * MINUTE, 90 * MINUTE, 90 * MINUTE, 90 * MINUTE]
    assert mark_for(RUBRIC.text, SONNET, apart, PRICES[SONNET]) == HOUR
    assert mark_for(RUBRIC.text, SONNET, apart, (2.0, 10.0, 0.6)) is None


@pytest.mark.parametrize(("model", "words"), [(HAIKU, 300), (SONNET, 300), ("claude-haiku-4-5", 2500)])
def test_a_prompt_that_is_too_short_for_its_model_is_not_marked(model: str, words: int) -> None:
    assert mark_for("rubric " * words, model, [MINUTE], PRICES[model]) == FIVE_MINUTES
    assert mark_for("rubric " * (words // 2), model, [MINUTE], PRICES[model]) is None


def test_free_model_gets_no_mark() -> None:
    assert mark_for("rubric " * 2500, "qwen3:8b", [MINUTE], (0.0, 0.0, 0.0)) is None


def test_five_minute_only_model_gets_no_hour_mark() -> None:
    model = "us.anthropic.claude-3-5-sonnet-20240620-v1:0"
    hour = profile_of(model).hour
    assert mark_for("rubric " * 2500, model, [20 * MINUTE], None, hour=hour) is None
    assert mark_for("rubric " * 2500, model, [MINUTE], None, hour=hour) == FIVE_MINUTES


def marks_of(apart: Sequence[float], side_by_side: int = 1) -> list[Any]:
    """The marks of calls by functions that have just started: the first, and others so many seconds after each."""
    now = 1_000_000.0
    with mock_aws(), ModelServer() as server:
        table = make_verdicts_table(boto3.client("dynamodb"))
        client = anthropic.Anthropic(api_key="k", base_url=server.url, max_retries=0)
        for seconds in (0.0, *apart):
            now += seconds
            for _ in range(side_by_side):
                recent = DynamoCalls(table, "verdicts", partial(float, now))
                pace = Pace(Clock(), recent, 5.0, None)
                claude = SdkClaude(client, DEFAULT_MODELS, pace, CostBudget(None, {}), Capabilities())
                claude.judge("grade_relevance", RUBRIC, {}, Relevance)
        return [request["system"][0].get("cache_control") for request in server.requests]


def test_with_one_question_an_hour_nothing_is_marked() -> None:
    assert marks_of([60 * MINUTE] * 4) == [None] * 5


def test_one_question_a_minute_caches_from_second_question() -> None:
    assert marks_of([MINUTE] * 3) == [None, FIVE_MINUTES, FIVE_MINUTES, FIVE_MINUTES]


def test_with_three_questions_an_hour_the_prompt_is_kept_for_an_hour() -> None:
    assert marks_of([20 * MINUTE] * 2) == [None, HOUR, HOUR]


def test_parallel_graders_justify_no_cache_mark() -> None:
    assert marks_of([60 * MINUTE] * 2, side_by_side=4) == [None] * 12


class CachingServer(ModelServer):
    """Says that it wrote the prompt to its cache for an hour."""

    def answer(self, body: Any) -> Any:
        status, reply = super().answer(body)
        written = {"ephemeral_5m_input_tokens": 100, "ephemeral_1h_input_tokens": 900}
        reply["usage"] |= {"cache_creation_input_tokens": 1000, "cache_creation": written}
        return status, reply


def test_call_reports_hour_cache_tokens_and_their_cost() -> None:
    with CachingServer() as server:
        client = anthropic.Anthropic(api_key="k", base_url=server.url, max_retries=0)
        claude = claude_of(client, prices={HAIKU: (1.0, 10.0, 0.5)})
        call = claude.judge("grade_relevance", RUBRIC, {}, Relevance).call
    assert call is not None
    assert (call.cache_creation_input_tokens, call.cache_creation_1h_input_tokens) == (1000, 900)
    assert call.cost_usd == pytest.approx((100 * 1 + 100 * 1.25 + 900 * 2 + 50 * 0.5 + 10 * 10) / 1e6)


def test_call_keeps_its_recorded_price_and_older_ones_get_the_current() -> None:
    call = ModelCall(step="s", model=HAIKU, started_at=0, ended_at=1, stop_reason="", input_tokens=1_000_000)
    assert cost_usd(call, {}) == PRICES[HAIKU][0]
    assert cost_usd(call.model_copy(update={"cost_usd": 7.0}), {}) == 7.0
    assert cost_usd(call.model_copy(update={"model": "another"}), {}) is None
