"""`selfrag doctor` before a deployment: what it says of an account, and that it goes on when it may not look."""

import pytest

from cli.doctor.account.subject import Account
from cli.doctor.choices import Choices
from cli.doctor.examination import ACCOUNT, examine
from cli.doctor.findings import Level
from tests.support.doubles.aws_account import NOT_ALLOWED, AwsAccount, Refused, limit_of_lambda, titan_quotas
from tests.support.examined import examined, finding

ON_BEDROCK = {
    "model_provider": "bedrock",
    "models": {"generate": "anthropic.claude-sonnet-5-5"},
    "text_recognition": True,
    "selfrag_hosting": True,
}


def test_in_an_account_with_the_usual_limits_nothing_blocks() -> None:
    diagnosis = examined(AwsAccount(), **ON_BEDROCK)
    assert {name for name, _ in diagnosis.findings} == {check.name for check in ACCOUNT}
    assert diagnosis.blocking == 0


def test_a_new_account_with_10_functions_at_once_is_told_what_to_ask_for() -> None:
    found = finding("concurrency", {"lambda.GetAccountSettings": limit_of_lambda(10)})
    assert found.level is Level.LOOK
    assert found.says == "Lambda runs 10 functions at once: 0.4 questions a second, of 26 s each."
    assert "Set `account_concurrency = 10`, so that what is more is refused at the door." in found.do
    assert "--service-code lambda --quota-code L-B99A9384 --desired-value 1000" in found.do


def test_the_limit_of_the_account_is_to_be_told_to_the_terraform() -> None:
    assert finding("concurrency").do == "Set `account_concurrency = 1000`, so that what is more is refused at the door."
    assert finding("concurrency", account_concurrency=1_000).level is Level.FINE


def test_a_reservation_that_aws_would_refuse_blocks() -> None:
    poor = AwsAccount({"lambda.GetAccountSettings": limit_of_lambda(200)})
    found = [each for _, each in examined(poor, reserved_concurrency={"ask": 150, "generate": -1}).findings]
    [said] = [each.says for each in found if each.level is Level.BLOCKS]
    assert said == "150 of 200 functions at once would be reserved, and AWS keeps 100 free."
    # A share of what the account does not have.
    found = [each for _, each in examined(poor, account_concurrency=1_000).findings]
    assert [each.says for each in found if each.level is Level.BLOCKS] == [said.replace("150", "166")]


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
    examined(account, **ON_BEDROCK)
    assert account.actions == {action for check in ACCOUNT for action in check.actions}
