"""What options make variants, and that they are told apart."""

from pathlib import Path
from typing import get_args

import pytest

from selfrag.domain.errors import InvalidInput
from selfrag.domain.questions import Policy
from selfrag.domain.strategies import Strategy
from selfrag_cli.lab.runs.results import Result, opened_results
from selfrag_cli.lab.runs.variants import Variant, read_variants
from tests.unit.cli.lab.conftest import response

STRATEGIES = get_args(Strategy)


@pytest.fixture
def prompt(tmp_path: Path) -> Path:
    path = tmp_path / "strict.md"
    path.write_text("Grade strictly. {material}", encoding="utf-8")
    return path


def names(variants: list[Variant]) -> list[str]:
    return [variant.name for variant in variants]


def test_each_option_adds_a_variant_that_differs_from_the_default_in_nothing_else(prompt: Path) -> None:
    variants = read_variants(['few={"top_k": 2}'], STRATEGIES[:1], ["thrifty", "strict"], [f"grade_support={prompt}"])
    assert names(variants) == ["few", *STRATEGIES[:1], "thrifty", "strict", "grade_support.strict"]
    assert [variant.way["profile"] for variant in variants[-3:]] == ["thrifty", "strict", ""]
    assert all(variant.policy == Policy(cache=False) for variant in variants[-3:])


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_strategy_is_a_policy_of_its_name(strategy: str) -> None:
    (variant,) = read_variants([], [strategy])
    assert (variant.name, variant.policy.model_dump()["strategy"], variant.policy.cache) == (strategy, strategy, False)


def test_a_prompt_is_compared_with_what_it_was(prompt: Path) -> None:
    assert names(read_variants([], prompts=[f"grade_support={prompt}"])) == ["default", "grade_support.strict"]
    assert names(read_variants([], [], ["strict"], [f"generate={prompt}"])) == ["strict", "generate.strict"]


def test_a_prompt_says_the_clause_that_all_prompts_share_and_has_a_version_by_its_text(prompt: Path) -> None:
    *_, variant = read_variants([], prompts=[f"grade_support={prompt}"])
    ((step, said),) = variant.setup.prompts
    assert (step, "{material}" in said.text) == ("grade_support", False)
    before = variant.way["prompts"]
    prompt.write_text("Grade kindly.", encoding="utf-8")
    *_, variant = read_variants([], prompts=[f"grade_support={prompt}"])
    assert variant.way["prompts"].keys() == before.keys()
    assert variant.way["prompts"] != before


def test_answers_by_another_prompt_or_profile_of_the_same_name_are_not_gone_on_with(
    prompt: Path, tmp_path: Path
) -> None:
    options = [f"grade_support={prompt}"]
    path = tmp_path / "results.jsonl"
    variants = read_variants([], prompts=options)
    with opened_results(path, "here", variants) as results:
        results.add(
            Result(
                variant=variants[-1].name,
                **variants[-1].way,
                question_id="q",
                question="?",
                seconds=1.0,
                response=response(),
            )
        )
    with opened_results(path, "here", variants) as results:
        assert results.find(variants[-1].name, "q")
    prompt.write_text("Grade kindly.", encoding="utf-8")
    with (
        pytest.raises(InvalidInput, match=r"answers of grade_support.strict with .*the prompts \{"),
        opened_results(path, "here", read_variants([], prompts=options)),
    ):
        pass


def test_a_grid_is_a_variant_for_each_combination_called_by_its_values() -> None:
    found = read_variants(
        [], grids=['{"top_k": [2, 4], "relevance_threshold": [0.3, 0.5], "strategy": ["corrective"]}']
    )
    assert [variant.name for variant in found] == [
        f"top_k-{k}.relevance_threshold-{least}.strategy-corrective" for k in (2, 4) for least in (0.3, 0.5)
    ]
    assert found[1].fields == {"strategy": "corrective", "top_k": 2, "cache": False}, "0.5 is the default"
    assert [variant.name for variant in read_variants(["plain={}"], grids=['{"top_k": [2]}'])] == ["plain", "top_k-2"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"grids": ["{"]}, "--grid is not valid JSON: .*; --grid '{"),
        ({"grids": ["{}"]}, "A grid is fields of the policy, each with a list of values: --grid '{"),
        ({"grids": ['{"top_k": 2}']}, "A grid is fields of the policy, each with a list of values"),
        ({"grids": ['{"top_k": [2, 99]}']}, "top_k"),
        ({"grids": [f'{{"{"x" * 100}": [1]}}']}, "has too long a name"),
        ({"strategies": ["best"]}, "There is no strategy 'best'"),
        ({"profiles": ["lavish"]}, "There is no profile 'lavish'; the profiles are thrifty, balanced, strict."),
        ({"profiles": ["strict", "strict"]}, "Two variants are called strict"),
        (
            {"prompts": ["grade_support"]},
            "'grade_support' is not a step and a file: --prompt grade_support=stricter.md.",
        ),
        ({"prompts": ["retrieve=a.md"]}, "There is no step retrieve to change; there are decide_retrieval, "),
        ({"prompts": ["generate=nowhere.md"]}, "The prompt nowhere.md cannot be read"),
    ],
)
def test_an_option_that_makes_no_variant_is_refused_in_one_sentence(
    options: dict[str, list[str]], sentence: str
) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        read_variants([], **options)


def test_an_empty_prompt_is_refused(prompt: Path) -> None:
    prompt.write_text(" \n", encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"strict\.md is empty"):
        read_variants([], prompts=[f"generate={prompt}"])
