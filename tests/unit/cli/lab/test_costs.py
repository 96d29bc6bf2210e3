"""What a run may cost is told before it starts: by the page on costs, then by what was paid so far."""

import re
from pathlib import Path

import pytest

from selfrag.domain.questions import Policy
from selfrag.domain.strategies import Strategy
from selfrag.runtime.models import DEFAULT_MODELS, PROFILES
from selfrag_cli.lab.runs.costs import TOKENS, estimated_usd, usual_calls, usual_usd
from selfrag_cli.lab.runs.results import opened_results
from selfrag_cli.lab.runs.variants import read_variants
from tests.support.command import ROOT
from tests.unit.cli.lab.conftest import response, result

USUAL = {"a": 0.02, "b": 0.03}
PAGE = (ROOT / "docs" / "operate.md").read_text(encoding="utf-8")


def test_the_tokens_are_those_of_the_page_on_costs() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|", PAGE, re.M)
    told = {step: (int(calls), int(rubric) + int(rest), int(written)) for step, calls, rubric, rest, written in rows}
    assert {step: tokens for step, tokens in told.items() if tokens[0]} == TOKENS


@pytest.mark.parametrize(
    ("profile", "row"), [("thrifty", "`thrifty`"), ("balanced", "one answer in ten is doubted"), ("strict", "`strict`")]
)
def test_a_question_of_each_profile_is_estimated_as_the_page_does_without_a_cache(profile: str, row: str) -> None:
    cold = re.search(rf"^\| [^|\n]*{re.escape(row)} \| [\d.]+ \| ([\d.]+) \|$", PAGE, re.M)
    assert cold
    assert usual_usd(PROFILES[profile], {}, Policy()) == pytest.approx(float(cold[1]) / 1000, abs=0.000_005)


@pytest.mark.parametrize(
    ("strategy", "calls"),
    [("naive", 1), ("corrective", 5), ("adaptive", 8), ("self_rag", 8), ("candidates", 17), ("segments", 72)],
)
def test_the_estimate_knows_the_calls_of_a_strategy(strategy: Strategy, calls: int) -> None:
    policy = Policy(strategy=strategy)
    assert sum(usual_calls(policy).values()) == calls
    naive, usd = (usual_usd(DEFAULT_MODELS, {}, one) for one in (Policy(strategy="naive"), policy))
    assert naive is not None
    assert usd is not None
    assert (usd > naive) == (calls > 1)


def test_what_a_model_without_a_price_costs_is_not_known() -> None:
    unpriced = {**PROFILES["thrifty"], "generate": "mystery"}
    assert usual_usd(unpriced, {}, Policy()) is None
    assert usual_usd(unpriced, {"mystery": (0.0, 0.0, 0.0)}, Policy()) is not None


def test_a_variant_that_has_answers_costs_what_they_cost_in_the_mean_and_another_what_is_usual(tmp_path: Path) -> None:
    variants = read_variants(["a={}", "b={}"])
    tasks = ["a", "b"] * 5
    with opened_results(tmp_path / "results.jsonl", "here", variants) as results:
        assert estimated_usd(tasks, results, USUAL) == pytest.approx(5 * 0.02 + 5 * 0.03)
        assert estimated_usd(tasks, results, {"a": None, "b": None}) is None
        for number, usd in enumerate((0.1, None, 0.3)):
            results.add(result("a", f"{number}", response(usd=usd)))
        assert estimated_usd(tasks, results, USUAL) == pytest.approx(5 * 0.2 + 5 * 0.03)
    assert estimated_usd([], results, {}) == 0
