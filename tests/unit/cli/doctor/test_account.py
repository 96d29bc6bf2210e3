"""`selfrag doctor` before a deployment: the account's limits and access, and that a refused call stops nothing else."""

from datetime import UTC, datetime
from typing import Any

import pytest
from botocore.exceptions import EndpointConnectionError

from selfrag_cli.deployment.terraform import Choices
from selfrag_cli.doctor.account import Account
from selfrag_cli.doctor.checks import ACCOUNT, FREE
from selfrag_cli.doctor.findings import Finding, Severity, examine
from tests.support.doubles.aws_account import ACCOUNT as NUMBER
from tests.support.doubles.aws_account import (
    NOT_ALLOWED,
    TITAN_TOKENS,
    AwsAccount,
    Refused,
    Reply,
    limit_of_collections,
    limit_of_lambda,
    quota,
    simulated,
    titan_quotas,
)
from tests.support.doubles.bedrock_double import FORCEABLE, OFFERED, STRUCTURED, TALKATIVE, BedrockServer
from tests.support.examined import examined, finding, findings

HAIKU, SONNET = FORCEABLE, STRUCTURED
ON_BEDROCK = {"model_provider": "bedrock", "models": {"generate": SONNET, "grade_relevance": HAIKU}}
EVERYTHING = {**ON_BEDROCK, "text_recognition": "lines", "web_search": True}
NOWHERE = EndpointConnectionError(endpoint_url="https://nowhere")


@pytest.fixture(autouse=True)
def _credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")


def test_in_an_account_with_the_usual_limits_nothing_blocks() -> None:
    with BedrockServer() as bedrock:
        diagnosis = examined(AwsAccount(), **EVERYTHING, model_base_url=bedrock.url)
    assert {name for name, _ in diagnosis} == ACCOUNT.keys()
    assert [result for _, result in diagnosis if result.level == "blocks"] == []


def test_the_free_checks_call_no_model() -> None:
    account = AwsAccount()
    examine(FREE, Account(account.session(), Choices()), lambda name, finding: None)
    assert not [operation for operation, _ in account.asked if operation.startswith("bedrock")]


DENIED = simulated(lambda action, resource, context: action != "lambda:CreateFunction")


@pytest.mark.parametrize(
    ("name", "answers", "quotas"),
    [
        ("api-logs", {"apigateway.GetAccount": {}}, {}),
        ("names", {"s3.HeadBucket": {}}, {}),
        ("permissions", {"iam.SimulatePrincipalPolicy": DENIED}, {}),
        ("quotas", {}, {"bedrock": titan_quotas(0)}),
    ],
)
def test_free_checks_find_deployment_blockers(name: str, answers: dict[str, Any], quotas: dict[str, Any]) -> None:
    account = Account(AwsAccount(answers, **quotas).session(), Choices())
    found = examine(FREE, account, lambda name, finding: None)
    assert {check for check, finding in found if finding.level == "blocks"} == {name}


def test_missing_region_or_refused_credentials_stop_diagnosis(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("AWS_REGION", raising=False)
    monkeypatch.delenv("AWS_DEFAULT_REGION", raising=False)
    expired = AwsAccount({"sts.GetCallerIdentity": Refused("ExpiredToken", status=403)})
    for subject in (Account(AwsAccount().session(region=None), Choices()), Account(expired.session(), Choices())):
        diagnosis = examine(ACCOUNT, subject, lambda name, finding: None)
        assert [name for name, _ in diagnosis] == ["identity"]
        assert diagnosis[0][1].level == "blocks"
    assert {operation for operation, _ in expired.asked} == {"sts.GetCallerIdentity"}


def test_refused_call_names_its_action_and_other_checks_continue() -> None:
    refused = Refused("AccessDenied", f"User: {OWN} is not authorized to perform: iam:GetRole on resource: r", 403)
    results = findings("names", {"iam.GetRole": refused})
    assert [each.level for each in results] == ["unknown", *["fine"] * 3]
    assert "iam:GetRole" in results[0].says


def test_low_concurrency_quota_gets_advice() -> None:
    few = finding("concurrency", {"lambda.GetAccountSettings": limit_of_lambda(10)})
    assert (few.level, "account_concurrency = 10" in few.do, "L-B99A9384" in few.do) == ("look", True, True)
    unset = finding("concurrency")
    assert (unset.level, "L-B99A9384" in unset.do) == ("look", False)
    assert finding("concurrency", account_concurrency=1_000).level == "fine"


TOKENS_ALONE = [quota(TITAN_TOKENS.replace("model inference", "InvokeModel"), 230_000, "L-DE641971")]
# Calls bind, though by the tokens of a passage there would be fewer.
BOTH = [*titan_quotas(2_000)[:1], quota(TITAN_TOKENS, 230_000, "L-DE641971")]


@pytest.mark.parametrize(
    ("listed", "level", "rate", "do"),
    [
        (titan_quotas(60), "look", "1.0", "--quota-code L-26C560CE --desired-value 2000"),
        (titan_quotas(60, adjustable=False), "look", "1.0", "AWS Support"),
        (titan_quotas(0), "blocks", "", "embedding_region"),
        (TOKENS_ALONE, "look", "16.7", "--quota-code L-DE641971"),
        (BOTH, "fine", "33.3", ""),
        ([], "unknown", "", "servicequotas"),
    ],
    ids=["few", "fixed", "none", "tokens alone, by a former name", "both", "unlisted"],
)
def test_titans_quota_is_in_questions_a_second_with_how_to_get_more(
    listed: list[Reply], level: Severity, rate: str, do: str
) -> None:
    titan = findings("quotas", quotas={"bedrock": listed})[0]
    assert (titan.level, do in titan.do) == (level, True)
    assert not rate or f"{rate} questions a second" in titan.says


def test_at_anthropic_the_limits_are_unknown() -> None:
    assert findings("quotas")[1].level == "unknown"


def claude_quotas(name: str, calls: float, tokens: float) -> list[Reply]:
    return [
        quota(name.format(unit), value, f"L-{name[-8:]}-{unit}")
        for unit, value in (("requests", calls), ("tokens", tokens))
    ]


def test_on_bedrock_each_model_is_compared_with_its_own_quota() -> None:
    haiku = claude_quotas(
        "Cross-region model inference {} per minute for Anthropic Claude Haiku 5.5", 10_000, 5_000_000
    )
    sonnet = claude_quotas(
        "Global cross-region model inference {} per minute for Anthropic Claude Sonnet 5.5 V1", 20, 4_000_000
    )
    # Listed before, and of another context: the name begins alike.
    other = claude_quotas(
        "On-demand model inference {} per minute for Anthropic Claude Sonnet 5.5 V1 1M Context Length", 1, 1
    )
    listed = [*titan_quotas(2_000), *other, *haiku, *sonnet]
    _, slow, fast = findings("quotas", quotas={"bedrock": listed}, **ON_BEDROCK)
    assert (slow.level, "requests --desired-value 480" in slow.do) == ("look", True)
    assert (fast.level, "4.8 questions a second" in fast.says) == ("fine", True)
    empty = claude_quotas("Cross-region InvokeModel {} per minute for Anthropic Claude Haiku 5.5", 50, 0)
    none = findings("quotas", quotas={"bedrock": empty}, model_provider="bedrock", models={"generate": HAIKU})[1]
    assert (none.level, "tokens --desired-value 1038000" in none.do) == ("blocks", True)


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("global.anthropic.claude-sonnet-5", "Global cross-region model inference {} per minute for %s Sonnet 5"),
        ("eu.anthropic.claude-3-5-sonnet-2024-v1:0", "Cross-region model inference {} per minute for %s 3.5 Sonnet"),
        ("anthropic.claude-opus-4-7", "On-demand InvokeModel {} per minute for %s Opus 4.7"),
    ],
)
def test_the_quotas_of_a_model_are_those_of_its_id(model: str, name: str) -> None:
    listed = {"bedrock": claude_quotas(name % "Anthropic Claude", 1_000, 10_000_000)}
    assert findings("quotas", quotas=listed, model_provider="bedrock", models={"generate": model})[1].level == "fine"


DENIED = Refused("AccessDeniedException", "You don't have access to the model with the specified model ID.", 403)


@pytest.mark.parametrize(
    ("refusal", "level", "do"),
    [
        (DENIED, "blocks", "model-catalog"),
        (NOT_ALLOWED, "unknown", "bedrock:InvokeModel"),
        (Refused("ThrottlingException", status=429), "look", "run it again in a minute"),
        (Refused("ValidationException"), "blocks", "embedding_region"),
        (NOWHERE, "blocks", "embedding_region"),
    ],
    ids=["no access", "no right", "busy", "no such model", "not in the region"],
)
def test_an_embedding_model_that_cannot_be_called_is_reported_by_its_cause(
    refusal: Exception, level: Severity, do: str
) -> None:
    result = finding("models", {"bedrock-runtime.InvokeModel": refusal}, embedding_region="us-west-2")
    assert (result.level, do in result.do, "in us-west-2" in result.says) == (level, True, True)


def on_bedrock(bedrock: BedrockServer, **models: str) -> list[Finding]:
    """Return the doctor's findings on these models, by their steps."""
    chosen = {"model_provider": "bedrock", "models": models, "model_base_url": bedrock.url}
    return findings("models", **chosen)[1:]


@pytest.mark.parametrize("model", [STRUCTURED, FORCEABLE, OFFERED, TALKATIVE])
def test_bedrock_model_with_verdicts_and_citations_is_fine(model: str) -> None:
    with BedrockServer() as bedrock:
        results = on_bedrock(bedrock, grade_support=model, generate=model)
    assert [each.level for each in results] == ["fine"]
    *_, (_, verdict, _), (_, answer, _) = bedrock.requests
    assert "score" in str(verdict)
    assert answer["messages"][0]["content"][0]["citations"] == {"enabled": True}


def test_a_model_is_sent_nothing_of_steps_that_it_does_not_serve() -> None:
    with BedrockServer() as bedrock:
        assert [each.level for each in on_bedrock(bedrock, generate=SONNET, grade_relevance=HAIKU)] == ["fine"] * 2
    assert len(bedrock.asked(HAIKU)) == len(bedrock.asked(SONNET)) == 1


MARKETPLACE = (
    "Model access is denied due to IAM user or service role is not authorized to perform the required AWS Marketplace "
    "actions (aws-marketplace:ViewSubscriptions, aws-marketplace:Subscribe) to enable access to this model. If you "
    "recently fixed this issue, try again after 5 minutes."
)
FORM = (
    "Model use case details have not been submitted for this account. Fill out the Anthropic use case details form "
    "before using the model. If you have already filled out the form, try again in 15 minutes."
)
MINE = f"User: arn:aws:iam::{NUMBER}:user/operator is not authorized to perform: bedrock:InvokeModel on resource: m"


@pytest.mark.parametrize(
    ("status", "message", "level", "do"),
    [
        (403, "You don't have access to the model with the specified model ID.", "blocks", "in 15 minutes"),
        (403, MARKETPLACE, "blocks", "aws-marketplace:Subscribe"),
        (404, FORM, "blocks", "model-catalog"),
        (403, MINE, "unknown", "bedrock:InvokeModel"),
        (400, "The provided model identifier is invalid.", "blocks", "another id"),
    ],
    ids=["no access", "no subscription", "no form", "no right", "no such model"],
)
def test_a_refusal_of_a_model_is_reported_by_its_cause(status: int, message: str, level: Severity, do: str) -> None:
    with BedrockServer() as bedrock:
        bedrock.refusal = (status, message)
        [refused] = on_bedrock(bedrock, grade_relevance=HAIKU)
    assert (refused.level, do in refused.do) == (level, True), refused


def test_a_model_that_writes_without_citations_blocks() -> None:
    class Uncited(BedrockServer):
        def respond(self, path: str, headers: Any, body: Any) -> Reply:
            reply = super().respond(path, headers, body)
            return {**reply, "content": [{"type": "text", "text": "25 days."}]}

    with Uncited() as bedrock:
        [uncited] = on_bedrock(bedrock, generate=SONNET)
    assert uncited.level == "blocks"


def test_a_region_without_a_service_blocks() -> None:
    gone = {
        "stepfunctions.StartSyncExecution": NOWHERE,
        "opensearchserverless.GetAccountSettings": NOWHERE,
        "textract.GetDocumentTextDetection": NOWHERE,
    }
    assert [each.level for each in findings("region", gone, text_recognition="lines")] == ["blocks"] * 3
    assert len(findings("region", gone)) == 2, "Textract is for text recognition alone"
    refused = dict.fromkeys(gone, NOT_ALLOWED)
    levels = [each.level for each in findings("region", refused, text_recognition="lines")]
    # A service that refuses to start a machine answers.
    assert levels == ["fine", "unknown", "unknown"]


@pytest.mark.parametrize(
    ("chosen", "level", "price", "do"),
    [
        ({"collection": "classic"}, "look", "3,504 dollars", "update-account-settings"),
        ({}, "fine", "1,402 dollars", ""),
        ({"collection_max_ocus": 16}, "look", "5,606 dollars", "collection_max_ocus = 4"),
    ],
)
def test_high_unit_limit_is_reported_with_price_and_remedy(
    chosen: dict[str, Any], level: Severity, price: str, do: str
) -> None:
    settings = {"opensearchserverless.GetAccountSettings": limit_of_collections(10, 10)}
    limit = findings("region", settings, **chosen)[1]
    assert (limit.level, price in limit.says, do in limit.do) == (level, True, True), limit


@pytest.mark.parametrize(
    ("chosen", "is_kept"),
    [
        ({}, False),
        ({"collection": "classic"}, True),
        ({"collection_generation": 2}, True),
        ({"collection_endpoint": "https://c"}, True),
    ],
)
def test_classic_collection_replacement_blocks_unless_chosen_or_given_up(chosen: dict[str, Any], is_kept: bool) -> None:
    there = {"opensearchserverless.BatchGetCollection": {"collectionDetails": [{"name": "selfrag"}]}}
    blocking = [each for each in findings("names", there, deployed=True, **chosen) if each.level == "blocks"]
    assert ['Set `collection = "classic"`, which keeps it' in each.do for each in blocking] == (
        [] if is_kept else [True]
    )


OTHERS, OWN = (f"arn:aws:iam::{NUMBER}:role/{each}" for each in ("others", "selfrag-api-logs"))


@pytest.mark.parametrize(
    ("role", "managed", "level"),
    [
        (OTHERS, False, "fine"),
        (OTHERS, True, "blocks"),
        ("", False, "blocks"),
        ("", True, "fine"),
        (OWN, True, "fine"),
    ],
    ids=["others'", "others', to be replaced", "none", "none, to be made", "its own"],
)
def test_the_logging_role_of_others_is_left_alone(role: str, managed: bool, level: Severity) -> None:
    account = {"cloudwatchRoleArn": role} if role else {}
    assert finding("api-logs", {"apigateway.GetAccount": account}, manage_api_gateway_account=managed).level is level


def test_names_that_are_taken_block_unless_they_are_the_deployments_own() -> None:
    role = {"Path": "/", "RoleId": "A" * 16, "Arn": f"{OWN}r", "RoleName": "r", "CreateDate": datetime.now(UTC)}
    taken = {
        "iam.GetRole": {"Role": role},
        # A bucket of another account is refused, and its name is taken all the same.
        "s3.HeadBucket": Refused("403", status=403),
        "secretsmanager.DescribeSecret": {"Name": "n"},
        "logs.DescribeLogGroups": {"logGroups": [{"logGroupName": "/aws/lambda/selfrag-ask"}]},
    }
    results = findings("names", taken, web_search=True)
    assert [each.level for each in results] == ["blocks"] * 4
    assert "selfrag/anthropic, selfrag/tavily" in results[2].says
    assert {each.level for each in findings("names", taken, deployed=True)} == {"fine"}


def test_a_secret_that_is_scheduled_for_deletion_blocks_and_can_be_freed() -> None:
    gone = {"secretsmanager.DescribeSecret": {"Name": "n", "DeletedDate": datetime.now(UTC)}}
    _, _, anthropic, *_ = findings("names", gone)
    assert anthropic.level == "blocks"
    assert "--force-delete-without-recovery --secret-id selfrag/anthropic" in anthropic.do


def test_a_secret_that_will_not_be_made_is_not_looked_for() -> None:
    there = {"secretsmanager.DescribeSecret": NOT_ALLOWED}
    chosen = {"web_search": False, "model_provider": "bedrock", "models": {"generate": SONNET}}
    assert {each.level for each in findings("names", there, **chosen)} == {"fine"}
