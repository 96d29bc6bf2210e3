"""The place of the fine-tuned model by the settings, and its key."""

import json

import boto3
import pytest
from moto import mock_aws

from selfrag.bootstrap import generator
from selfrag.domain.errors import Misconfigured
from tests.support.doubles.vllm import CANDIDATES_EXAMPLE
from tests.support.paper.generating import candidates, decided, running


def test_a_model_that_the_server_lacks_is_refused_to_a_question() -> None:
    settings = {"SELFRAG_GENERATOR_MODEL": "another"}
    with running(CANDIDATES_EXAMPLE, settings=settings), pytest.raises(Misconfigured, match="no such model"):
        decided(CANDIDATES_EXAMPLE.question)


def test_ids_that_are_another_models_grade_nothing() -> None:
    ids = json.dumps({"[Relevant]": 32003, "[Irrelevant]": 32004})
    with running(CANDIDATES_EXAMPLE, settings={"SELFRAG_GENERATOR_TOKEN_IDS": ids}):
        found, _ = candidates(CANDIDATES_EXAMPLE)
    assert {one.relevance.label for one in found} == {"ungraded"}


def test_without_a_server_a_question_for_the_generator_is_told_what_is_missing() -> None:
    assert not generator.generator_settings().configured
    with pytest.raises(Misconfigured, match="SELFRAG_GENERATOR_URL names it"):
        decided("How many days?")


def test_the_key_is_read_from_its_secret_and_a_wrong_one_is_told() -> None:
    with running(CANDIDATES_EXAMPLE, key="right"), pytest.raises(Misconfigured, match="refused the key"):
        decided(CANDIDATES_EXAMPLE.question)
    settings = {"SELFRAG_GENERATOR_SECRET": "generator-key"}
    with mock_aws(), running(CANDIDATES_EXAMPLE, key="right", settings=settings):
        boto3.client("secretsmanager").create_secret(Name="generator-key", SecretString="right")
        assert decided(CANDIDATES_EXAMPLE.question)["verdict"]["decision"] == "yes"


def test_a_key_that_was_replaced_is_read_again() -> None:
    settings = {"SELFRAG_GENERATOR_SECRET": "generator-key"}
    with mock_aws(), running(CANDIDATES_EXAMPLE, key="old", settings=settings) as double:
        secrets = boto3.client("secretsmanager")
        secrets.create_secret(Name="generator-key", SecretString="old")
        assert decided(CANDIDATES_EXAMPLE.question)["attempts"] == 1
        secrets.put_secret_value(SecretId="generator-key", SecretString="new")
        double.key = "new"
        result = decided(CANDIDATES_EXAMPLE.question)
    assert (result["verdict"]["decision"], result["attempts"]) == ("yes", 2)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SELFRAG_GENERATOR_TOKEN_IDS", '{"[Maybe]": 1}'),
        ("SELFRAG_GENERATOR_TOKEN_IDS", '{"[Relevant]": 32003}'),
        ("SELFRAG_GENERATOR_TIMEOUT_SECONDS", "0"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(name, value, monkeypatch) -> None:
    monkeypatch.setenv("SELFRAG_GENERATOR_URL", "http://127.0.0.1:1")
    monkeypatch.setenv(name, value)
    with pytest.raises(Misconfigured, match=name):
        generator.generator_settings()
