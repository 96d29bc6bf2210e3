"""What the doctor says of the fine-tuned model: its quota, its endpoint, its server, and a question to it."""

from collections.abc import Iterator
from typing import Any

import pytest

from cli.doctor.account.subject import Account
from cli.doctor.choices import Choices
from cli.doctor.deployed.subject import Deployment
from cli.doctor.examination import DEPLOYED
from cli.doctor.findings import Finding, Level, found_by
from tests.support.doubles.api_double import ApiDouble
from tests.support.doubles.aws_account import Answer, AwsAccount, Refused, quota
from tests.support.doubles.deployed_account import KEY, OUTPUTS, REGION, deployed, endpoint
from tests.support.doubles.vllm import CANDIDATES_EXAMPLE, VllmDouble, vllm
from tests.support.examined import findings
from tests.support.roles.calls import ACCOUNT

CHECKS = {"generator-endpoint", "generator-server", "generator-question"}
MINE = {"selfrag_endpoint_name": "mine", "selfrag_component_name": "one"}
HOSTED = {"selfrag_hosting": True}
INSTANCE = "ml.g5.2xlarge for endpoint usage"


@pytest.fixture
def model() -> Iterator[VllmDouble]:
    with vllm(CANDIDATES_EXAMPLE) as double:
        yield double


def found(check: str, account: AwsAccount, api: str = "https://example", **choices: Any) -> list[Finding]:
    """What a check of a deployment finds."""
    [one] = [each for each in DEPLOYED if each.name == check]
    subject = Account(account.session(REGION), Choices(**choices), deployed=True)
    with Deployment(subject, OUTPUTS, api, KEY, lambda seconds: None) as deployment:
        return list(found_by(one, deployment))


def with_status(operation: str, model: VllmDouble, **values: Any) -> AwsAccount:
    """The account whose SageMaker says something else of the endpoint or of its component."""
    usual: dict[str, Any] = endpoint(model.url)
    return deployed({**usual, operation: {**usual[operation], **values}})


def test_without_the_model_nothing_of_it_is_looked_at() -> None:
    assert [each for check in CHECKS for each in found(check, deployed())] == []
    assert findings("generator-quota") == []


@pytest.mark.parametrize(
    ("quotas", "level", "says"),
    [
        ([quota(INSTANCE, 2)], Level.FINE, "2 of ml.g5.2xlarge may run behind endpoints"),
        ([quota(INSTANCE, 0)], Level.BLOCKS, "The quota of ml.g5.2xlarge for endpoints is 0"),
        ([quota("ml.g5.xlarge for endpoint usage", 2)], Level.UNKNOWN, "names no quota of ml.g5.2xlarge"),
    ],
)
def test_an_account_that_may_not_start_the_instance_is_told_before_it_deploys(
    quotas: list[Any], level: Level, says: str
) -> None:
    first, second = findings("generator-quota", quotas={"sagemaker": quotas}, **HOSTED)
    assert (first.level, says in first.says) == (level, True)
    assert ("--quota-code L-1 --desired-value 1" in first.do) == (level is Level.BLOCKS)
    assert second.level is Level.LOOK
    assert "/aws/sagemaker/Endpoints/selfrag-generator" in second.do


def test_an_endpoint_in_service_is_told_so_with_its_component(model: VllmDouble) -> None:
    both = found("generator-endpoint", deployed(endpoint(model.url)), **MINE)
    assert {each.level for each in both} == {Level.FINE}
    assert [each.says for each in both] == ["The endpoint mine is in service.", "The component one is in service."]


@pytest.mark.parametrize(
    ("status", "level"), [("Creating", Level.LOOK), ("Failed", Level.BLOCKS), ("OutOfService", Level.BLOCKS)]
)
def test_an_endpoint_that_is_not_in_service_is_told_with_its_reason(
    model: VllmDouble, status: str, level: Level
) -> None:
    account = with_status("sagemaker.DescribeEndpoint", model, EndpointStatus=status, FailureReason="no capacity")
    [one] = found("generator-endpoint", account, selfrag_endpoint_name="mine")
    assert (one.level, one.says) == (level, f"The endpoint mine is {status}: no capacity.")


def test_a_component_that_sleeps_and_one_of_another_endpoint_are_told(model: VllmDouble) -> None:
    operation = "sagemaker.DescribeInferenceComponent"
    *_, asleep = found(
        "generator-endpoint", with_status(operation, model, RuntimeConfig={"CurrentCopyCount": 0}), **MINE
    )
    assert (asleep.level, "asleep" in asleep.says) == (Level.LOOK, True)
    *_, others = found("generator-endpoint", with_status(operation, model, EndpointName="theirs"), **MINE)
    assert others.level is Level.BLOCKS
    assert "belongs to the endpoint theirs, and not to mine" in others.says


def test_an_endpoint_that_is_not_there_blocks_and_one_that_may_not_be_looked_at_is_unknown(model: VllmDouble) -> None:
    def refusing(refused: Answer) -> AwsAccount:
        return deployed({**endpoint(model.url), "sagemaker.DescribeEndpoint": refused})

    [gone] = found("generator-endpoint", refusing(Refused("ValidationException")), **MINE)
    assert (gone.level, "no endpoint mine with the component one" in gone.says) == (Level.BLOCKS, True)
    [unseen] = found("generator-endpoint", refusing(Refused("AccessDeniedException", status=403)), **MINE)
    assert (unseen.level, "sagemaker:DescribeEndpoint" in unseen.do) == (Level.UNKNOWN, True)


@pytest.mark.parametrize(("version", "level"), [("0.33", Level.FINE), ("0.15", Level.LOOK)])
def test_which_server_answers_is_told_by_what_it_lists(version: str, level: Level) -> None:
    with vllm(CANDIDATES_EXAMPLE, version) as model:
        [by_name] = found("generator-server", deployed(endpoint(model.url)), **MINE)
        [by_url] = found("generator-server", deployed(), selfrag_generator_url=model.url)
    assert by_name.level is by_url.level is level
    assert ("logprob_token_ids" in by_name.says) == (level is Level.LOOK)


def test_a_server_that_does_not_answer_blocks_and_one_whose_key_is_not_read_is_unknown(model: VllmDouble) -> None:
    refused = {**endpoint(model.url), "sagemaker-runtime.InvokeEndpoint": Refused("ValidationError")}
    [silent] = found("generator-server", deployed(refused), **MINE)
    assert silent.level is Level.BLOCKS
    [locked] = found("generator-server", deployed(), selfrag_generator_url=model.url, selfrag_generator_secret=True)
    assert (locked.level, "generator-question" in locked.do) == (Level.UNKNOWN, True)


@pytest.mark.parametrize(("ended", "level"), [("answered", Level.FINE), ("failed", Level.BLOCKS)])
def test_a_question_shows_whether_the_steps_reach_the_model(ended: str, level: Level) -> None:
    with ApiDouble(KEY) as api:
        api.later, api.held = ended, 'It is "4".'
        [one] = found("generator-question", deployed(), api.endpoint, **MINE)
        assert (one.level, "POST /live/v1/questions" in api.asked) == (level, True)


def test_the_secret_of_a_server_is_one_of_the_deployments() -> None:
    assert Choices(selfrag_generator_secret=True).secrets[-1] == "selfrag/generator"
    there = {"iam.ListRoles": {"Roles": [_role("selfrag-generator")]}}
    [taken] = findings("roles", there, **HOSTED)
    assert taken.level is Level.BLOCKS
    [free] = findings("roles", there)
    assert free.level is Level.FINE


def _role(name: str) -> dict[str, Any]:
    arn = f"arn:aws:iam::{ACCOUNT}:role/{name}"
    return {"RoleName": name, "Path": "/", "RoleId": "A" * 16, "Arn": arn, "CreateDate": "2026-11-22T00:00:00Z"}
