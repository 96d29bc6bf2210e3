"""docs/costs.md is what bench/costs.py computes, with the prices of Claude that responses are priced with."""

from collections.abc import Callable
from pathlib import Path

import pytest

from bench import costs
from selfrag.adapters.claude.cost_budget import MAX_TOKENS, VERDICT_TOKENS
from selfrag.domain.calls import PRICES, ModelCall, cost_usd, price_of
from selfrag_cli.doctor import quotas

PAGE = (Path(__file__).parents[2] / "docs" / "costs.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("table", costs.TABLES, ids=lambda table: table.__name__)
def test_each_table_of_the_page_is_what_the_prices_come_to(table: Callable[[], costs.Table]) -> None:
    assert costs.markdown(table()) in PAGE


def test_figures_in_sentences_follow_from_the_prices() -> None:
    assert [sentence for sentence in costs.sentences() if sentence not in " ".join(PAGE.split())] == []


def test_an_idle_month_costs_few_dollars_unless_the_collection_is_classic() -> None:
    *_, total = costs.idle_month()
    nextgen, small, classic, _ = (float(cell.strip("*")) for cell in total[2:])
    assert (nextgen <= 14, small <= 5, round(classic)) == (True, True, 363)


def test_every_price_has_its_source_and_date() -> None:
    assert [name for name, price in costs.PRICES.items() if not (price.usd and price.source and price.date)] == []
    assert [name for name, price in costs.PRICES.items() if not price.date[-4:].isdigit()] == []


def test_configured_price_wins_over_that_of_a_shorter_model_name() -> None:
    model = "global.anthropic.claude-sonnet-5-5-fast-v1:0"
    call = ModelCall(
        step="generate", model=model, started_at=0, ended_at=1, stop_reason="end_turn", output_tokens=1_000_000
    )
    assert cost_usd(call, {}) == PRICES["claude-sonnet-5-5"][1]
    assert cost_usd(call, {"claude-sonnet-5-5-fast": (3.0, 7.0, 0.3)}) == 7.0


@pytest.mark.parametrize(
    ("model", "factor"),
    [
        ("claude-sonnet-5-5", 1.0),
        ("global.anthropic.claude-sonnet-5-5", 1.0),
        ("us.anthropic.claude-sonnet-5-5", 1.1),
        ("eu.anthropic.claude-sonnet-5-5-v1:0", 1.1),
        ("anthropic.claude-sonnet-5-5", 1.1),
    ],
)
def test_regional_and_group_ids_of_bedrock_cost_a_tenth_more(model: str, factor: float) -> None:
    assert price_of(model, {}) == pytest.approx([factor * price for price in PRICES["claude-sonnet-5-5"]])
    # A price set by the deployment takes precedence.
    assert price_of(model, {"claude-sonnet-5-5": (3.0, 15.0, 0.3)}) == (3.0, 15.0, 0.3)


def test_reads_from_the_cache_have_the_prices_of_the_list() -> None:
    assert [PRICES[f"claude-{name}-5-5"][2] for name in ("haiku", "sonnet", "opus")] == [0.01, 0.10, 0.20]


def test_quota_use_of_a_question_follows_from_tokens_of_steps() -> None:
    steps = costs.STEPS.values()
    calls = sum(of.calls for of in steps)
    asked = sum(of.calls * (of.rubric + of.rest) for of in steps)
    written = sum(of.calls * of.written for of in steps)
    assert calls == quotas.MODEL_CALLS
    assert round(asked + written, -2) == quotas.MODEL_TOKENS
    assert round(asked + 5 * written, -2) == quotas.BEDROCK_TOKENS
    reserved = (calls - 1) * VERDICT_TOKENS + MAX_TOKENS
    assert round(asked + reserved, -2) == quotas.BEDROCK_RESERVED
