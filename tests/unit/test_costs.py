"""docs/costs.md adds up, and its prices of Claude are those that the responses are priced with."""

import re
from decimal import Decimal
from pathlib import Path

import pytest

from selfrag.adapters.claude.purse import MOST_TOKENS, VERDICT_TOKENS
from selfrag.domain.calls import PRICES, ModelCall, cost_usd, price_of
from selfrag.runtime.models import DEFAULT_MODELS, FIRST, PROFILES
from selfrag_cli.doctor import quotas
from tests.support.fakes import SMALLEST_CACHEABLE

PAGE = (Path(__file__).parents[2] / "docs" / "costs.md").read_text(encoding="utf-8")
TABLES = re.findall(r"## ([^\n]+)\n(.*?)\*\*Total\*\* \| \| \| \*\*([\d.]+)\*\*", PAGE, re.S)
ROW = re.compile(r"^\| ([^|*]+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", re.M)


@pytest.mark.parametrize(("heading", "table", "total"), TABLES, ids=[heading for heading, _, _ in TABLES])
def test_each_row_is_price_times_quantity_and_the_total_is_their_sum(heading: str, table: str, total: str) -> None:
    rows = ROW.findall(table)
    assert len(rows) >= 4
    for what, price, quantity, cost in rows:
        assert abs(Decimal(price) * Decimal(quantity) - Decimal(cost)) <= Decimal("0.005"), what
    assert sum(Decimal(cost) for *_, cost in rows) == Decimal(total)


@pytest.mark.parametrize(
    ("name", "model"), [("Claude Haiku 5.5", "claude-haiku-5-5"), ("Claude Sonnet 5.5", "claude-sonnet-5-5")]
)
def test_the_prices_of_claude_are_those_of_the_responses(name: str, model: str) -> None:
    prices = [float(price) for what, price, _, _ in ROW.findall(PAGE) if what.startswith(name)]
    assert prices == list(PRICES[model][:2])


def test_a_price_that_a_deployment_names_is_not_hidden_by_that_of_a_shorter_name() -> None:
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
def test_bedrocks_ids_of_a_region_or_of_a_group_cost_a_tenth_more(model: str, factor: float) -> None:
    assert price_of(model, {}) == pytest.approx([factor * price for price in PRICES["claude-sonnet-5-5"]])
    # A price that a deployment names is what it pays.
    assert price_of(model, {"claude-sonnet-5-5": (3.0, 15.0, 0.3)}) == (3.0, 15.0, 0.3)


def test_reads_from_the_cache_have_the_prices_of_the_list() -> None:
    assert [PRICES[f"claude-{name}-5-5"][2] for name in ("haiku", "sonnet", "opus")] == [0.01, 0.10, 0.20]


def test_both_tables_are_there() -> None:
    assert len(TABLES) == 2


PROFILE_STEP = re.compile(r"^\| `(\w+)` \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (.+?) \| (.+?) \| (.+?) \|$", re.M)
PROFILE_PRICE = re.compile(r"^\| `(\w+)`(?:, ([^|]+?))? \| ([\d.]+) \| ([\d.]+) \|$", re.M)
LETTERS = {"H": "claude-haiku-5-5", "S": "claude-sonnet-5-5"}
DOUBTED = {"no doubt": 0.0, "one answer in ten is doubted": 0.1, "every answer is doubted": 1.0}


def test_the_page_names_the_models_that_each_profile_has() -> None:
    found = PROFILE_STEP.findall(PAGE)
    assert [step for step, *_ in found] == list(DEFAULT_MODELS)
    for number, (profile, models) in enumerate(PROFILES.items()):
        for step, *_, letters in map(_row, found):
            in_doubt = step == "grade_support" and FIRST in models
            asked = f"{_letter(models[FIRST])}, {_letter(models[step])} in doubt" if in_doubt else _letter(models[step])
            assert letters[number] == asked, (profile, step)


@pytest.mark.parametrize(("warm", "column"), [(True, 2), (False, 3)], ids=["warm", "cold"])
def test_what_a_profile_costs_follows_from_its_models_and_the_tokens_of_each_step(warm: bool, column: int) -> None:
    prices = PROFILE_PRICE.findall(PAGE)
    assert {row[0] for row in prices} == set(PROFILES)
    for profile, doubts, *_ in prices:
        models, dollars = PROFILES[profile], 0.0
        for step, tokens, _ in map(_row, PROFILE_STEP.findall(PAGE)):
            first = models.get(FIRST) if step == "grade_support" else None
            dollars += _dollars(tokens, first, warm) if first else 0
            dollars += _dollars(tokens, models[step], warm) * (DOUBTED[doubts] if first else 1)
        said = next(row[column] for row in prices if row[:2] == (profile, doubts))
        assert abs(dollars - float(said)) < 0.005, (profile, doubts, dollars)


THOUGHT_ROW = re.compile(r"^\| `(\w+)`(?:, no doubt)? \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", re.M)


def test_what_thinking_costs_follows_from_the_calls_that_think_and_the_price_of_output() -> None:
    section = PAGE.split("### Thinking\n")[1].split("\n### ")[0]
    thought = int(re.findall(r"(\d+)\s+tokens of thought", section)[0])
    rows = THOUGHT_ROW.findall(section)
    assert {profile for profile, *_ in rows} == set(PROFILES)
    for profile, *said in rows:
        models, without, answers, all_calls = PROFILES[profile], 0.0, 0.0, 0.0
        for step, tokens, _ in map(_row, PROFILE_STEP.findall(PAGE)):
            model = models[FIRST] if step == "grade_support" and FIRST in models else models[step]
            thinking = tokens[0] * thought * PRICES[model][1] / 1000
            without += _dollars(tokens, model, warm=False)
            answers += thinking if step == "generate" else 0.0
            all_calls += thinking
        assert [float(one) for one in said] == pytest.approx(
            [without, without + answers, without + all_calls], abs=0.005
        ), profile


def test_what_a_question_takes_of_a_quota_follows_from_the_tokens_of_each_step() -> None:
    rows = [tokens for _, tokens, _ in map(_row, PROFILE_STEP.findall(PAGE))]
    calls = sum(tokens[0] for tokens in rows)
    asked = sum(calls * (rubric + rest) for calls, rubric, rest, _ in rows)
    written = sum(calls * written for calls, *_, written in rows)
    assert calls == quotas.MODEL_CALLS
    assert round(asked + written, -2) == quotas.MODEL_TOKENS
    assert round(asked + 5 * written, -2) == quotas.BEDROCK_TOKENS
    reserved = (calls - 1) * VERDICT_TOKENS + MOST_TOKENS
    assert round(asked + reserved, -2) == quotas.BEDROCK_RESERVED


def _row(found: tuple[str, ...]) -> tuple[str, list[int], tuple[str, ...]]:
    """Return a step, the calls and tokens of it, and the letters of its models by profile."""
    return found[0], [int(cell) for cell in found[1:5]], tuple(found[5:])


def _letter(model: str) -> str:
    return next(letter for letter, name in LETTERS.items() if name == model)


def _dollars(tokens: list[int], model: str, warm: bool) -> float:
    """Return what 1,000 questions pay for a step."""
    calls, rubric, rest, written = tokens
    kept = rubric if warm and rubric >= SMALLEST_CACHEABLE[model] else 0
    call = ModelCall(
        step="s", model=model, started_at=0, ended_at=1, stop_reason="end_turn",
        input_tokens=rubric - kept + rest, cache_read_input_tokens=kept, output_tokens=written,
    )  # fmt: skip
    return 1000 * calls * (cost_usd(call, {}) or 0)


def test_what_memory_costs_follows_from_the_seconds_and_is_what_the_table_of_questions_says() -> None:
    found = re.findall(r"^\| (\d+) \| ([\d.]+) \| (\d+) \| ([\d.]+) \|$", PAGE, re.M)
    assert [int(memory) for memory, *_ in found] == [512, 884, 1769]
    for memory, processors, gb_seconds, dollars in found:
        assert abs(int(memory) / 1769 - float(processors)) < 0.005
        # `ask` waits 10 s with 512 MB; eight calls of 2 s, and Retrieve's half second.
        assert abs(1000 * (10 * 0.5 + 16.5 * int(memory) / 1024) - int(gb_seconds)) < 1
        assert abs(int(gb_seconds) * 0.0000133334 - float(dollars)) < 0.005
    assert f"| Lambda on arm64, GB-seconds | 0.0000133334 | {found[-1][2]} | {found[-1][3]} |" in PAGE


def test_the_price_of_snapshots_and_of_copies_that_run_follows_from_the_memory() -> None:
    found = re.findall(r"([\d.]+) GB x ([\d,]+) s x ([\d.]+) are ([\d.]+) dollars", PAGE)
    assert len(found) == 2
    for gigabytes, seconds, price, dollars in found:
        assert float(gigabytes) == round((8 * 1769 + 5 * 512) / 1024, 1)
        assert int(seconds.replace(",", "")) == 730 * 3600
        assert abs((8 * 1769 + 5 * 512) / 1024 * 730 * 3600 * float(price) - float(dollars)) < 0.5


def test_the_price_of_functions_that_are_kept_warm_follows_from_their_number() -> None:
    [numbers] = re.findall(r"12 x ([\d,]+) = ([\d,]+) invoc", PAGE)
    each, invocations = (int(number.replace(",", "")) for number in numbers)
    assert each == 730 * 60 // 4
    assert invocations == 12 * each
    assert round(invocations / 1e6, 2) == 0.13
    assert round(invocations * 0.20 / 1e6, 2) == 0.03
    gigabytes = (8 * 1769 + 3 * 512 + 1024) / 1024
    assert f"{gigabytes:.1f} GB x {each:,} x 0.005 s" in PAGE
    assert round(gigabytes * each * 0.005 * 0.0000133334, 2) == 0.01
    assert round(100 * 5 * 12 / (7 * 24)) == 36


SIZING = (Path(__file__).parents[2] / "docs" / "costs.md").read_text(encoding="utf-8")


def rows(heading: str) -> list[list[float]]:
    section = SIZING.split(f"### {heading}\n")[1].split("\n### ")[0]
    lines = [line for line in section.splitlines() if re.match(r"^\| [\d,]+ \|", line)]
    return [[float(cell.replace(",", "")) for cell in line.strip("| ").split(" | ")] for line in lines]


def test_the_memory_and_the_price_of_vectors_follow_from_their_number() -> None:
    found = rows("Vectors in memory")
    assert [row[0] for row in found] == [1e4, 1e6, 1e8]
    for passages, gigabytes, capacity, both, hours, dollars in found:
        assert abs(passages * 1.1 * (4 * 512 + 8 * 16) / 1e9 - gigabytes) < 0.01
        assert capacity >= max(0.5, gigabytes / 3 - 0.5)
        assert (both, hours) == (2 * capacity, 730 * both)
        assert abs(hours * 0.24 - dollars) < 0.005


def test_the_price_and_the_time_of_a_first_load_follow_from_the_number_of_passages() -> None:
    for passages, hours, tokens, titan, transitions, steps, units, table in rows("The first load"):
        assert abs(passages / 2000 / 60 - hours) <= 0.5
        assert (tokens, transitions) == (passages * 230 / 1e6, (passages / 25 * 7 + passages / 10 * 16) / 1000)
        assert units == passages / 25 * 5 / 1e6
        for quantity, price, cost in ((tokens, 0.02, titan), (transitions, 0.025, steps), (units, 0.625, table)):
            assert abs(quantity * price - cost) < 0.006
