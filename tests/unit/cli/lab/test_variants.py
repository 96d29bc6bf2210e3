"""What options make variants, and that they are told apart."""

from pathlib import Path
from typing import get_args

import pytest

from selfrag.domain.answers import AnswerResponse
from selfrag.domain.errors import InvalidInput
from selfrag.domain.questions import Policy
from selfrag.domain.strategies import Strategy
from selfrag_cli.lab.runs.results import RunResult, opened_results
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


def test_each_text_is_a_variant_that_differs_from_the_default_in_nothing_else(prompt: Path) -> None:
    variants = read_variants(['few={"top_k": 2}', "naive", "thrifty", "strict", f"grade_support={prompt}"])
    assert names(variants) == ["few", "naive", "thrifty", "strict", "grade_support.strict"]
    assert [variant.way.profile for variant in variants[-3:]] == ["thrifty", "strict", ""]
    assert all(variant.policy == Policy(cache=False) for variant in variants[-3:])


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_strategy_is_a_policy_of_its_name(strategy: str) -> None:
    (variant,) = read_variants([strategy])
    assert (variant.name, variant.policy.model_dump()["strategy"], variant.policy.cache) == (strategy, strategy, False)


def test_a_prompt_is_compared_with_what_it_was(prompt: Path) -> None:
    assert names(read_variants([f"grade_support={prompt}"])) == ["default", "grade_support.strict"]
    assert names(read_variants(["strict", f"generate={prompt}"])) == ["strict", "generate.strict"]


def test_a_prompt_says_the_clause_that_all_prompts_share_and_has_a_version_by_its_text(prompt: Path) -> None:
    *_, variant = read_variants([f"grade_support={prompt}"])
    ((step, said),) = variant.setup.prompts
    assert (step, "{material}" in said.text) == ("grade_support", False)
    before = variant.way.prompts
    prompt.write_text("Grade kindly.", encoding="utf-8")
    *_, variant = read_variants([f"grade_support={prompt}"])
    assert variant.way.prompts.keys() == before.keys()
    assert variant.way.prompts != before


def test_answers_by_another_prompt_or_profile_of_the_same_name_are_not_gone_on_with(
    prompt: Path, tmp_path: Path
) -> None:
    options = [f"grade_support={prompt}"]
    path = tmp_path / "results.jsonl"
    variants = read_variants(options)
    with opened_results(path, "here", variants) as results:
        results.add(
            RunResult(
                variant=variants[-1].name,
                way=variants[-1].way,
                question_id="q",
                question="?",
                seconds=1.0,
                response=AnswerResponse.model_validate(response()),
            )
        )
    with opened_results(path, "here", variants) as results:
        assert results.find(variants[-1].name, "q")
    prompt.write_text("Grade kindly.", encoding="utf-8")
    with (
        pytest.raises(InvalidInput, match=r"answers of grade_support.strict with .*the prompts \{"),
        opened_results(path, "here", read_variants(options)),
    ):
        pass


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{}", r"There is no strategy or profile '\{\}'"),
        ("best", "There is no strategy or profile 'best': strategies are self_rag, .* profiles are thrifty, balanced"),
        ("={}", "A variant's name has letters"),
        ("a b={}", "A variant's name has letters"),
        ("a={", "The variant a: policy is not valid JSON"),
        ('a={"topk": 2}', "The variant a: policy.topk does not exist; the fields are strategy, "),
        ("grade_support=", "'grade_support=' is not a step and a file, such as grade_support=stricter.md."),
        ("retrieve=a.md", "There is no step retrieve to change; there are decide_retrieval, "),
        ("generate=nowhere.md", "The prompt nowhere.md cannot be read"),
    ],
)
def test_a_text_that_is_no_variant_is_refused_in_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        read_variants([text])


def test_two_variants_of_one_name_are_refused() -> None:
    with pytest.raises(InvalidInput, match="Two variants are called strict"):
        read_variants(["strict", 'strict={"top_k": 2}'])


def test_a_variant_reads_the_verdict_cache_only_if_its_policy_says_so() -> None:
    variants = read_variants(['a={"cache": true}', "b={}"])
    assert [variant.policy.cache for variant in variants] == [True, False]


def test_an_empty_prompt_is_refused(prompt: Path) -> None:
    prompt.write_text(" \n", encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"strict\.md is empty"):
        read_variants([f"generate={prompt}"])
