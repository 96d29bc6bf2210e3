"""`selfrag doctor` before a deployment: a poor account is told of, each thing in a sentence with what to do."""

from collections.abc import Mapping
from typing import Any

import pytest
from botocore.exceptions import EndpointConnectionError

from cli.doctor.account.subject import Account
from cli.doctor.choices import Choices
from cli.doctor.examination import ACCOUNT, Diagnosis, examine
from cli.doctor.findings import Finding, Level
from tests.support.doubles.aws_account import (
    NOT_ALLOWED,
    TITAN_TOKENS,
    Answer,
    AwsAccount,
    Refused,
    limit_of_lambda,
    quota,
    titan_quotas,
)


def examined(account: AwsAccount, **choices: Any) -> Diagnosis:
    return examine(ACCOUNT, Account(account.session(), Choices(**choices)), lambda name, finding: None)


def finding(name: str, answers: Mapping[str, Answer] | None = None, **quotas: Any) -> Finding:
    """The one finding of a check, in an account with these answers and quotas."""
    [found] = [each for check, each in examined(AwsAccount(answers, **quotas)).findings if check == name]
    return found


def test_in_an_account_with_the_usual_limits_nothing_blocks() -> None:
    diagnosis = examined(AwsAccount())
    assert {name for name, _ in diagnosis.findings} == {check.name for check in ACCOUNT}
    assert diagnosis.blocking == 0


def test_a_new_account_with_10_functions_at_once_is_told_what_to_ask_for() -> None:
    found = finding("concurrency", {"lambda.GetAccountSettings": limit_of_lambda(10)})
    assert found.level is Level.LOOK
    assert found.says == "Lambda runs 10 functions at once: 0.4 questions a second, of 26 s each."
    assert "--service-code lambda --quota-code L-B99A9384 --desired-value 1000" in found.do


def test_a_reservation_that_aws_would_refuse_blocks() -> None:
    poor = AwsAccount({"lambda.GetAccountSettings": limit_of_lambda(200)})
    found = [each for _, each in examined(poor, reserved_concurrency={"ask": 150, "generate": -1}).findings]
    [said] = [each.says for each in found if each.level is Level.BLOCKS]
    assert said == "reserved_concurrency takes 150 of 200 functions at once, and AWS keeps 100 free."


def test_titan_at_60_calls_a_minute_is_told_in_questions_and_in_time_of_load() -> None:
    found = finding("titan-quota", bedrock=titan_quotas(60))
    assert found.level is Level.LOOK
    assert "60 passages a minute in eu-central-1 (60 calls a minute, 300,000 tokens a minute)" in found.says
    assert "1.0 questions a second" in found.says
    assert "1,000 take 17 min; 10,000 take 3 hours; 1,000,000 take 12 days" in found.says
    assert "--service-code bedrock --quota-code L-26C560CE --desired-value 2000" in found.do


def test_a_quota_that_nobody_can_raise_is_a_case_for_aws_support() -> None:
    assert "open a case with AWS Support" in finding("titan-quota", bedrock=titan_quotas(60, adjustable=False)).do


def test_titan_at_0_blocks() -> None:
    found = finding("titan-quota", bedrock=titan_quotas(0))
    assert found.level is Level.BLOCKS
    assert "quota of 0" in found.says
    assert "embedding_region" in found.do


def test_where_only_tokens_are_limited_the_pace_follows_from_them() -> None:
    tokens = TITAN_TOKENS.replace("model inference", "InvokeModel")
    found = finding("titan-quota", bedrock=[quota(tokens, 300_000, "L-DE641971")])
    assert "embeds 1,304 passages a minute" in found.says
    assert "--quota-code L-DE641971 --desired-value 460000" in found.do


def test_a_quota_that_is_not_listed_is_said_not_to_be_known() -> None:
    found = finding("titan-quota", bedrock=[])
    assert found.level is Level.UNKNOWN
    assert "servicequotas/home" in found.do


@pytest.mark.parametrize(
    ("refusal", "level", "says", "do"),
    [
        (Refused("AccessDeniedException", "You don't have access to the model with the specified model ID.", 403),
         Level.BLOCKS, "no access to Titan", "model-catalog"),
        (NOT_ALLOWED, Level.UNKNOWN, "Your credentials may not invoke Titan", "bedrock:InvokeModel"),
        (Refused("ValidationException", "The provided model identifier is invalid."),
         Level.BLOCKS, "cannot be invoked in eu-central-1", "embedding_region"),
        (Refused("ThrottlingException", "Too many requests", 429), Level.LOOK, "too busy", "run it again"),
        (EndpointConnectionError(endpoint_url="https://bedrock"), Level.BLOCKS, "does not answer", "embedding_region"),
    ],
    ids=["no access", "credentials", "no such model", "busy", "no Bedrock in the region"],
)  # fmt: skip
def test_a_model_that_cannot_be_called_is_told_by_its_cause(
    refusal: Exception, level: Level, says: str, do: str
) -> None:
    found = finding("titan-access", {"bedrock-runtime.InvokeModel": refusal})
    assert found.level is level
    assert says in found.says
    assert do in found.do


def test_another_region_for_embeddings_is_the_one_that_is_looked_at() -> None:
    account = AwsAccount()
    found = [each.says for name, each in examined(account, embedding_region="us-west-2").findings if "titan" in name]
    assert len(found) == 2
    assert all("in us-west-2" in said for said in found)


def test_what_one_may_not_look_at_is_told_and_the_rest_is_looked_at() -> None:
    account = AwsAccount({"service-quotas.ListAWSDefaultServiceQuotas": NOT_ALLOWED})
    findings = dict(examined(account).findings)
    assert findings["titan-quota"].level is Level.UNKNOWN
    assert "was refused (AccessDeniedException)" in findings["titan-quota"].says
    assert "servicequotas:ListServiceQuotas" in findings["titan-quota"].do
    assert findings["titan-access"].level is Level.FINE


def test_the_first_limit_to_break_is_the_one_that_allows_the_fewest_questions() -> None:
    first = examined(
        AwsAccount({"lambda.GetAccountSettings": limit_of_lambda(10)}, bedrock=titan_quotas(60))
    ).first_limit
    assert first is not None
    assert first[0] == "concurrency"


def test_without_a_region_or_with_credentials_that_aws_refuses_nothing_else_is_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("AWS_REGION", raising=False)
    monkeypatch.delenv("AWS_DEFAULT_REGION", raising=False)
    expired = AwsAccount({"sts.GetCallerIdentity": Refused("ExpiredToken", status=403)})
    for subject in (Account(AwsAccount().session(region=None), Choices()), Account(expired.session(), Choices())):
        diagnosis = examine(ACCOUNT, subject, lambda name, finding: None)
        assert [name for name, _ in diagnosis.findings] == ["who"]
        assert diagnosis.blocking == 1
    assert {operation for operation, _ in expired.asked} == {"sts.GetCallerIdentity"}


def test_each_check_says_which_actions_it_needs() -> None:
    account = AwsAccount()
    examined(account)
    actions = {_action(operation) for operation, _ in account.asked}
    assert actions == {action for check in ACCOUNT for action in check.actions}


def _action(operation: str) -> str:
    service, _, name = operation.partition(".")
    prefixes = {"service-quotas": "servicequotas", "bedrock-runtime": "bedrock"}
    return f"{prefixes.get(service, service)}:{name}"
