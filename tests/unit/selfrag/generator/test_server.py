"""Where the fine-tuned model is, by the settings, and what an operator learns of its server."""

import json

import boto3
import pytest
from moto import mock_aws

from selfrag.bootstrap import generator
from selfrag.domain.errors import HINTS, Asleep, Misconfigured
from tests.support.doubles.vllm import CANDIDATES_EXAMPLE
from tests.support.doubles.vllm.faults import NO_CAPACITY
from tests.support.paper.generating import decided, running


@pytest.mark.parametrize(("version", "lists"), [("0.15", False), ("0.33", True)])
def test_an_operator_learns_which_server_it_is(version, lists) -> None:
    with running(CANDIDATES_EXAMPLE, version):
        server = generator.generator_server()
    assert (server.lists_what_is_asked, server.max_model_len, server.wrong) == (lists, 4096, ())


def test_an_endpoint_of_sagemaker_is_asked_the_same_without_a_list_of_models() -> None:
    settings = {"SELFRAG_GENERATOR_COMPONENT": "one"}
    with running(CANDIDATES_EXAMPLE, sagemaker=True, component="one", settings=settings):
        server = generator.generator_server()
    assert (server.lists_what_is_asked, server.max_model_len, server.wrong) == (True, None, ())


def test_ids_that_are_another_models_are_named() -> None:
    ids = {"[Relevant]": 32003, "[Irrelevant]": 32004}
    with running(CANDIDATES_EXAMPLE, settings={"SELFRAG_GENERATOR_TOKEN_IDS": json.dumps(ids)}):
        (wrong,) = generator.generator_server().wrong
    assert "[Irrelevant], [Relevant]" in wrong


def test_a_model_that_the_server_has_not_is_named_by_the_check_and_refused_to_a_question() -> None:
    with running(CANDIDATES_EXAMPLE, settings={"SELFRAG_GENERATOR_MODEL": "another"}):
        (wrong,) = generator.generator_server().wrong
        assert "no another" in wrong
        with pytest.raises(Misconfigured, match="no such model"):
            decided(CANDIDATES_EXAMPLE.question)


def test_an_endpoint_asleep_or_absent_is_an_error_that_says_so_to_the_operator() -> None:
    with running(CANDIDATES_EXAMPLE, sagemaker=True, faults=[NO_CAPACITY]), pytest.raises(Asleep):
        generator.generator_server()
    with (
        running(CANDIDATES_EXAMPLE, sagemaker=True, settings={"SELFRAG_GENERATOR_COMPONENT": "none"}),
        pytest.raises(Misconfigured, match="is not there"),
    ):
        generator.generator_server()
    assert "generator claude" in HINTS["Asleep"]


def test_without_an_endpoint_whoever_asks_for_the_generator_is_told_what_is_missing() -> None:
    assert not generator.settings().configured
    with pytest.raises(Misconfigured, match="SELFRAG_GENERATOR_URL or SELFRAG_GENERATOR_ENDPOINT"):
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
        ("SELFRAG_GENERATOR_ENDPOINT", "both"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(name, value, monkeypatch) -> None:
    monkeypatch.setenv("SELFRAG_GENERATOR_URL", "http://127.0.0.1:1")
    monkeypatch.setenv(name, value)
    with pytest.raises(Misconfigured, match=name):
        generator.settings()
