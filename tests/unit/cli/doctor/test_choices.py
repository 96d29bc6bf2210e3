"""The doctor's choices are the Terraform's variables, and the pages' figures are its figures."""

import json
import re
from pathlib import Path

import pytest

from selfrag.domain.calls import price_of
from selfrag.domain.errors import InvalidInput
from selfrag.runtime.models import DEFAULT_MODELS, FIRST, PROFILES
from selfrag_cli.doctor import needs
from selfrag_cli.doctor.choices import Choices, choices_in
from tests.support.command import ROOT
from tests.support.infra.rules import blocks, text_of

COSTS = SIZING = (ROOT / "docs" / "operate.md").read_text(encoding="utf-8")


def test_each_choice_is_a_variable_with_the_default_of_the_terraform() -> None:
    variables = blocks(text_of(ROOT / "infra"), "variable")
    for name, field in Choices.model_fields.items():
        default = variables[name]["default"]
        expected = field.get_default()
        assert (None if default == "null" else default) == (
            expected.model_dump() if hasattr(expected, "model_dump") else expected
        ), name


def test_variables_are_read_as_terraform_reads_them_the_later_file_over_the_earlier(tmp_path: Path) -> None:
    assert choices_in(tmp_path) == Choices()
    example = (ROOT / "infra" / "example.tfvars").read_text()
    more = 'embedding_region = null\ntext_recognition = "lines"\n'
    (tmp_path / "terraform.tfvars").write_text(example.replace('"selfrag"', '"my-rag"') + more)
    (tmp_path / "test.auto.tfvars.json").write_text(json.dumps({"region": "eu-west-1", "package_directory": "x"}))
    read = choices_in(tmp_path)
    assert (read.name, read.region, read.embedding_region) == ("my-rag", "eu-west-1", None)
    assert (read.text_recognition, read.manage_api_gateway_account) == ("lines", False)


def test_each_source_of_variables_overrides_those_that_terraform_reads_before_it(tmp_path: Path) -> None:
    environment = {"TF_VAR_name": "environment"}
    assert choices_in(tmp_path, environment=environment).name == "environment"
    in_order = (
        "terraform.tfvars",
        "terraform.tfvars.json",
        "a.auto.tfvars.json",
        "b.auto.tfvars",
        "c.auto.tfvars.json",
    )
    for file in in_order:
        (tmp_path / file).write_text(f'{{"name": "{file}"}}' if file.endswith("json") else f'name = "{file}"')
        assert choices_in(tmp_path, environment=environment).name == file
    first, last = tmp_path / "b.tfvars", tmp_path / "a.tfvars.json"
    first.write_text('name = "first"')
    last.write_text('{"name": "last"}')
    assert choices_in(tmp_path, [first, last], environment).name == "last"
    assert choices_in(tmp_path, [last, first], environment).name == "first"


def test_variables_of_the_environment_are_texts_numbers_or_expressions_as_for_terraform(tmp_path: Path) -> None:
    environment = {
        "TF_VAR_name": "my-rag",
        "TF_VAR_web_search": "true",
        "TF_VAR_account_concurrency": "250",
        "TF_VAR_collections": '["a", "b"]',
        "TF_VAR_models": '{ generate = "us.anthropic.x" }',
        "TF_VAR_decider": '{"url": "https://d.example.com", "model": "jev", "secret": true}',
        "TF_VAR_no_variable_of_ours": "{",
    }
    assert choices_in(tmp_path, environment=environment).model_dump(exclude_defaults=True) == {
        "name": "my-rag", "web_search": True, "account_concurrency": 250, "collections": ["a", "b"],
        "models": {"generate": "us.anthropic.x"},
        "decider": {"url": "https://d.example.com", "model": "jev", "secret": True},
    }  # fmt: skip


@pytest.mark.parametrize("text", ['{ generate = "sk-secret', "sk-secret", '["sk-secret"]'])
def test_a_variable_of_the_environment_that_cannot_be_read_is_refused_by_its_name(tmp_path: Path, text: str) -> None:
    with pytest.raises(InvalidInput, match="models") as refused:
        choices_in(tmp_path, environment={"TF_VAR_models": text})
    assert "secret" not in str(refused.value)


def test_a_variables_file_that_does_not_exist_is_refused_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="prod"):
        choices_in(tmp_path, [tmp_path / "prod.tfvars"])


def test_the_examples_models_of_bedrock_are_dated_and_priced_and_serve_every_step(tmp_path: Path) -> None:
    example = (ROOT / "infra" / "example.tfvars").read_text()
    assert re.search(r"# models = \{ # ids of \w+ 20\d\d", example)
    chosen = re.sub(r"^# (?=model_provider = \"bedrock|models = \{|  \w+ += \"|\})", "", example, flags=re.M)
    (tmp_path / "terraform.tfvars").write_text(chosen.replace('model_provider = "anthropic"', ""))
    read = choices_in(tmp_path)
    assert (read.model_provider, set(read.models)) == ("bedrock", {*DEFAULT_MODELS, FIRST})
    # The models are the default profile's.
    for step, model in {**DEFAULT_MODELS, **PROFILES["balanced"]}.items():
        assert read.models[step].partition("anthropic.")[2] == model
        assert price_of(read.models[step], {})


def test_a_choice_of_another_kind_is_refused_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "terraform.tfvars.json").write_text(json.dumps({"models": "sk-secret"}))
    with pytest.raises(InvalidInput, match="models") as refused:
        choices_in(tmp_path)
    assert "secret" not in str(refused.value)


def test_the_page_of_costs_reckons_with_the_doctors_figures_of_a_question() -> None:
    said = re.search(r"(\d+) state\s+transitions and (\d+) model calls", COSTS)
    assert said
    assert (int(said[1]), int(said[2])) == (needs.TRANSITIONS, needs.MODEL_CALLS)
    tokens = re.findall(r"^\| Claude [^|]+ tokens \| [\d.]+ \| ([\d.]+) \|", COSTS, re.M)
    assert len(tokens) == 4
    assert abs(sum(map(float, tokens)) * 1000 - needs.MODEL_TOKENS) < 50
    [seconds_of_half_a_gigabyte] = re.findall(r"^\| 512 \| [\d.]+ \| (\d+) \|", COSTS, re.M)
    assert int(seconds_of_half_a_gigabyte) // 500 == needs.LAMBDA_SECONDS
    assert f"{needs.OCU_HOUR_DOLLARS} | {2 * needs.HOURS_A_MONTH} |" in COSTS


def test_the_page_of_sizes_reckons_with_the_doctors_figures_of_a_passage() -> None:
    assert f"about {needs.PASSAGE_TOKENS} tokens" in SIZING
