"""The doctor reads the Terraform's variables as terraform does, and quotes none of them."""

import json
import re
from pathlib import Path

import pytest

from selfrag.domain.calls import price_of
from selfrag.domain.errors import InvalidInput
from selfrag.runtime.models import DEFAULT_MODELS, FIRST, PROFILES
from selfrag_cli.deployment.terraform import Choices, read_choices
from tests.support.infra.tools import INFRA, NOWHERE, environment


@pytest.fixture(autouse=True)
def _without_an_account(infra: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in environment(infra, AWS_ENDPOINT_URL=NOWHERE).items():
        monkeypatch.setenv(name, value)


def test_choices_match_terraform_defaults_and_read_every_value_source(
    infra: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert read_choices(infra) == Choices()
    chosen = {"collections": ["a", "b"], "decider": {"url": "https://d.example.com", "model": "m", "secret": True}}
    (tmp_path / "production.tfvars.json").write_text(json.dumps(chosen))
    monkeypatch.setenv("TF_VAR_name", "my-rag")
    read = read_choices(infra, [tmp_path / "production.tfvars.json"])
    assert (read.name, read.collections) == ("my-rag", ["a", "b"])
    assert read.secrets == ["my-rag/anthropic", "my-rag/decider"]


def test_example_bedrock_models_are_dated_priced_and_cover_every_step(infra: Path, tmp_path: Path) -> None:
    example = (INFRA / "example.tfvars").read_text()
    assert re.search(r"# models = \{ # ids of \w+ 20\d\d", example)
    chosen = re.sub(r"^# (?=model_provider = \"bedrock|models = \{|  \w+ += \"|\})", "", example, flags=re.M)
    (tmp_path / "bedrock.tfvars").write_text(chosen.replace('model_provider = "anthropic"', ""))
    read = read_choices(infra, [tmp_path / "bedrock.tfvars"])
    assert (read.model_provider, set(read.models)) == ("bedrock", {*DEFAULT_MODELS, FIRST})
    # The models are the default profile's.
    for step, model in {**DEFAULT_MODELS, **PROFILES["balanced"]}.items():
        assert read.models[step].partition("anthropic.")[2] == model
        assert price_of(read.models[step], {})


@pytest.mark.parametrize(
    ("text", "heading"),
    [('name = "selfrag\nkey = "sk-secret"\n', "Invalid multi-line string"), (None, "Failed to read variables file")],
    ids=["broken", "not there"],
)
def test_values_that_terraform_cannot_read_are_refused_without_quoting_them(
    infra: Path, tmp_path: Path, text: str | None, heading: str
) -> None:
    file = tmp_path / "wrong.tfvars"
    if text:
        file.write_text(text)
    with pytest.raises(InvalidInput, match=heading) as refused:
        read_choices(infra, [file])
    assert "secret" not in str(refused.value)
