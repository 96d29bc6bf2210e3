"""`selfrag doctor` before a deployment: the account's limits and access, and that a refused call stops nothing else."""

from datetime import UTC, datetime
from typing import Any

import pytest
from botocore.exceptions import EndpointConnectionError

from cli.doctor import machine_version
from cli.doctor.account import Account
from cli.doctor.checks import ACCOUNT, examine
from cli.doctor.choices import Choices
from cli.doctor.findings import Finding, Level
from cli.doctor.names import MACHINES, functions
from tests.support.command import ROOT
from tests.support.doubles.aws_account import (
    ACCOUNT as NUMBER,
)
from tests.support.doubles.aws_account import (
    MACHINE,
    NOT_ALLOWED,
    REGION,
    TITAN_TOKENS,
    AwsAccount,
    Refused,
    Reply,
    key_policy,
    limit_of_collections,
    limit_of_lambda,
    quota,
    titan_quotas,
)
from tests.support.doubles.bedrock_double import FORCEABLE, OFFERED, STRUCTURED, TALKATIVE, BedrockServer
from tests.support.examined import examined, finding, findings
from tests.support.infra.rules import function_roles, functions_of, local_values, text_of

HAIKU, SONNET = FORCEABLE, STRUCTURED
ON_BEDROCK = {"model_provider": "bedrock", "models": {"generate": SONNET, "grade_relevance": HAIKU}}
KEY = f"arn:aws:kms:{REGION}:{NUMBER}:key/1"
EVERYTHING = {**ON_BEDROCK, "text_recognition": "tables", "kms_key_arn": KEY}
NOWHERE = EndpointConnectionError(endpoint_url="https://nowhere")


@pytest.fixture(autouse=True)
def _credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")


def test_in_an_account_with_the_usual_limits_nothing_blocks_and_each_check_names_its_actions() -> None:
    account = AwsAccount()
    with BedrockServer() as bedrock:
        diagnosis = examined(account, **EVERYTHING, model_base_url=bedrock.url)
    assert {name for name, _ in diagnosis.findings} == {check.name for check in ACCOUNT}
    assert [found.says for _, found in diagnosis.findings if found.level is Level.BLOCKS] == []
    assert account.actions == {action for check in ACCOUNT for action in check.actions}


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


def test_a_refused_call_is_told_with_its_action_and_the_rest_is_looked_at() -> None:
    told = [
        finding for name, finding in examined(AwsAccount({"iam.ListRoles": NOT_ALLOWED})).findings if name == "names"
    ]
    assert [found.level for found in told] == [Level.UNKNOWN, *[Level.FINE] * 3]
    assert "ListRoles was refused (AccessDeniedException)" in told[0].says
    assert "iam:ListRoles" in told[0].do


def test_a_new_account_with_10_functions_at_once_is_told_what_to_ask_for() -> None:
    found = finding("concurrency", {"lambda.GetAccountSettings": limit_of_lambda(10)})
    assert found.says == "Lambda runs 10 functions at once: 0.4 questions a second, of 26 s each."
    assert "Set `account_concurrency = 10`, so that what is more is refused at the door." in found.do
    assert "--service-code lambda --quota-code L-B99A9384 --desired-value 1000" in found.do
    assert finding("concurrency").do == "Set `account_concurrency = 1000`, so that what is more is refused at the door."
    assert finding("concurrency", account_concurrency=1_000).level is Level.FINE


def test_the_first_limit_to_break_is_the_one_that_allows_the_fewest_questions() -> None:
    poor = AwsAccount({"lambda.GetAccountSettings": limit_of_lambda(10)}, bedrock=titan_quotas(60))
    first = examined(poor).first_limit
    assert first is not None
    assert first[0] == "concurrency"


def test_titan_is_told_in_questions_and_in_time_of_load_with_how_to_get_more() -> None:
    slow, _ = findings("quotas", quotas={"bedrock": titan_quotas(60)})
    assert slow.level is Level.LOOK
    assert "60 passages a minute in eu-central-1 (60 calls, 300,000 tokens a minute)" in slow.says
    assert "1.0 questions a second" in slow.says
    assert "1,000 take 17 min; 10,000 take 3 hours; 1,000,000 take 12 days" in slow.says
    assert "--service-code bedrock --quota-code L-26C560CE --desired-value 2000" in slow.do
    fixed, _ = findings("quotas", quotas={"bedrock": titan_quotas(60, adjustable=False)})
    assert "open a case with AWS Support" in fixed.do
    none, _ = findings("quotas", quotas={"bedrock": titan_quotas(0)})
    assert (none.level, "embedding_region" in none.do) == (Level.BLOCKS, True)
    # Calls bind, though by the tokens of a passage there would be fewer.
    both = [*titan_quotas(2_000)[:1], quota(TITAN_TOKENS, 230_000, "L-DE641971")]
    assert "embeds 2,000 passages a minute" in findings("quotas", quotas={"bedrock": both})[0].says
    # Some accounts are limited by tokens alone, under a former name.
    tokens = [quota(TITAN_TOKENS.replace("model inference", "InvokeModel"), 230_000, "L-DE641971")]
    assert "embeds 1,000 passages a minute" in findings("quotas", quotas={"bedrock": tokens})[0].says
    unlisted, _ = findings("quotas", quotas={"bedrock": []})
    assert (unlisted.level, "servicequotas" in unlisted.do) == (Level.UNKNOWN, True)


def test_at_anthropic_the_limits_are_said_to_be_unknown_and_where_to_look() -> None:
    _, found = findings("quotas")
    assert found.level is Level.UNKNOWN
    assert "8 calls and 14,300 tokens" in found.says
    assert "https://platform.claude.com/settings/limits" in found.do


def claude_quotas(name: str, calls: float, tokens: float) -> list[Reply]:
    return [quota(name.format(what), value, f"L-{name[-8:]}-{what}") for what, value in
            (("requests", calls), ("tokens", tokens))]  # fmt: skip


def test_on_bedrock_each_model_is_told_in_questions_by_its_own_quota() -> None:
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
    assert slow.says == (
        f"{SONNET} takes 20 calls, 4,000,000 tokens a minute: "
        "0.0 questions a second if it made all calls of a question."
    )
    assert (slow.level, "requests --desired-value 480" in slow.do) == (Level.LOOK, True)
    assert (fast.level, "4.8 questions a second" in fast.says) == (Level.FINE, True)
    none = claude_quotas("Cross-region InvokeModel {} per minute for Anthropic Claude Haiku 5.5", 50, 0)
    found = findings("quotas", quotas={"bedrock": none}, model_provider="bedrock", models={"generate": HAIKU})[1]
    assert (found.level, "tokens --desired-value 1038000" in found.do) == (Level.BLOCKS, True)


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("global.anthropic.claude-sonnet-5", "Global cross-region model inference {} per minute for %s Sonnet 5"),
        ("eu.anthropic.claude-3-5-sonnet-2024-v1:0", "Cross-region model inference {} per minute for %s 3.5 Sonnet"),
        ("anthropic.claude-opus-4-7", "On-demand InvokeModel {} per minute for %s Opus 4.7"),
    ],
)
def test_the_quotas_of_a_model_are_found_by_its_id(model: str, name: str) -> None:
    listed = {"bedrock": claude_quotas(name % "Anthropic Claude", 1_000, 10_000_000)}
    found = findings("quotas", quotas=listed, model_provider="bedrock", models={"generate": model})[1]
    assert found.level is Level.FINE


DENIED = Refused("AccessDeniedException", "You don't have access to the model with the specified model ID.", 403)


@pytest.mark.parametrize(
    ("refusal", "level", "do"),
    [
        (DENIED, Level.BLOCKS, "model-catalog"),
        (NOT_ALLOWED, Level.UNKNOWN, "bedrock:InvokeModel"),
        (Refused("ThrottlingException", status=429), Level.LOOK, "run it again in a minute"),
        (Refused("ValidationException"), Level.BLOCKS, "embedding_region"),
        (NOWHERE, Level.BLOCKS, "embedding_region"),
    ],
    ids=["no access", "no right", "busy", "no such model", "not in the region"],
)
def test_an_embedding_model_that_cannot_be_called_is_told_by_its_cause(
    refusal: Exception, level: Level, do: str
) -> None:
    found = finding("models", {"bedrock-runtime.InvokeModel": refusal}, embedding_region="us-west-2")
    assert (found.level, do in found.do, "in us-west-2" in found.says) == (level, True, True)


def on_bedrock(bedrock: BedrockServer, **models: str) -> list[Finding]:
    """Return the doctor's findings on these models, by their steps."""
    chosen = {"model_provider": "bedrock", "models": models, "model_base_url": bedrock.url}
    return findings("models", **chosen)[1:]


@pytest.mark.parametrize(
    ("model", "way", "refused"),
    [
        (STRUCTURED, "by structured output, without thinking; its prompt is kept for an hour", 0),
        (FORCEABLE, "by a forced tool, without thinking; its prompt is kept for an hour", 0),
        (OFFERED, "by an offered tool, with thinking; its prompt is kept for an hour", 1),
        (TALKATIVE, "by JSON that is asked for in words, with thinking; its prompt is kept for an hour", 1),
    ],
)
def test_a_model_on_bedrock_is_sent_what_its_steps_send_and_the_way_that_it_takes_is_told(
    model: str, way: str, refused: int
) -> None:
    with BedrockServer() as bedrock:
        found = on_bedrock(bedrock, grade_support=model, generate=model)
    assert [each.level for each in found] == [Level.FINE, Level.FINE]
    assert [each.says for each in found] == [
        f"{model} gives a verdict in {REGION}, {way}.", f"{model} answers with citations in {REGION}.",
    ]  # fmt: skip
    assert sum(was_refused for *_, was_refused in bedrock.requests) == refused
    *_, (_, verdict, _), (_, answer, _) = bedrock.requests
    assert "claims" in str(verdict), "a verdict on support, which this model gives"
    assert verdict["system"][0]["cache_control"] == {"type": "ephemeral", "ttl": "1h"}
    assert answer["messages"][0]["content"][0]["citations"] == {"enabled": True}


def test_a_model_is_sent_nothing_of_steps_that_it_does_not_serve() -> None:
    with BedrockServer() as bedrock:
        found = on_bedrock(bedrock, generate=SONNET, grade_relevance=HAIKU)
    assert [each.says.split(" in ")[0] for each in found] == [
        f"{SONNET} answers with citations", f"{HAIKU} gives a verdict",
    ]  # fmt: skip
    assert "decision" in str(bedrock.asked(HAIKU)[0][0]["tools"])


MARKETPLACE = (
    "Model access is denied due to IAM user or service role is not authorized to perform the required AWS Marketplace "
    "actions (aws-marketplace:ViewSubscriptions, aws-marketplace:Subscribe) to enable access to this model. If you "
    "recently fixed this issue, try again after 5 minutes."
)
FORM = (
    "Model use case details have not been submitted for this account. Fill out the Anthropic use case details form "
    "before using the model. If you have already filled out the form, try again in 15 minutes."
)
OWN = f"User: arn:aws:iam::{NUMBER}:user/operator is not authorized to perform: bedrock:InvokeModel on resource: m"


@pytest.mark.parametrize(
    ("status", "message", "level", "says", "do"),
    [
        (403, "You don't have access to the model with the specified model ID.", Level.BLOCKS, "has no access to",
         "in 15 minutes"),
        (403, MARKETPLACE, Level.BLOCKS, "no subscription to", "aws-marketplace:Subscribe"),
        (404, FORM, Level.BLOCKS, "first-use form", "model-catalog"),
        (403, OWN, Level.UNKNOWN, "Your credentials may not invoke", "bedrock:InvokeModel"),
        (400, "The provided model identifier is invalid.", Level.BLOCKS, "cannot be asked", "another id"),
    ],
    ids=["no access", "no subscription", "no form", "no right", "no such model"],
)  # fmt: skip
def test_a_refusal_of_a_model_is_told_by_its_cause(status: int, message: str, level: Level, says: str, do: str) -> None:
    with BedrockServer() as bedrock:
        bedrock.refusal = (status, message)
        [found] = on_bedrock(bedrock, grade_relevance=HAIKU)
    assert (found.level, says in found.says, do in found.do) == (level, True, True), found


def test_a_model_that_writes_without_citations_blocks() -> None:
    class Uncited(BedrockServer):
        def respond(self, path: str, headers: Any, body: Any) -> Reply:
            reply = super().respond(path, headers, body)
            return {**reply, "content": [{"type": "text", "text": "25 days."}]}

    with Uncited() as bedrock:
        [found] = on_bedrock(bedrock, generate=SONNET)
    assert (found.level, "without citations" in found.says) == (Level.BLOCKS, True)


def test_a_region_without_a_service_blocks() -> None:
    gone = {"stepfunctions.StartSyncExecution": NOWHERE, "opensearchserverless.GetAccountSettings": NOWHERE,
            "textract.GetDocumentTextDetection": NOWHERE}  # fmt: skip
    found = findings("region", gone, text_recognition="tables")
    assert [each.level for each in found] == [Level.BLOCKS] * 3
    assert all(REGION in each.says and "`region`" in each.do for each in found)
    assert len(findings("region", gone)) == 2, "Textract is for text recognition alone"
    for wanted, price in (("lines", "0.0015"), ("tables", "0.015")):
        *_, told = findings("region", text_recognition=wanted)
        assert (told.level, f"{price} dollars" in told.says, "never tried" in told.says) == (Level.FINE, True, True)
    *_, told = findings("region", otlp_endpoint="https://otlp.example.com")
    assert ("otlp.example.com" in told.says, "never tried" in told.says) == (True, True)
    refused = dict.fromkeys(gone, NOT_ALLOWED)
    levels = [each.level for each in findings("region", refused, text_recognition="tables")]
    # A service that refuses to start a machine answers.
    assert levels == [Level.FINE, Level.UNKNOWN, Level.UNKNOWN]


REFUSED_VERSION = {"stepfunctions.StartSyncExecution": Refused("InvalidArn")}
ROLE_THERE = Refused("EntityAlreadyExists", status=409)


def test_a_version_of_a_machine_is_started_before_a_deployment_and_what_was_made_for_it_is_removed() -> None:
    taken, refused = finding("machine-version"), finding("machine-version", REFUSED_VERSION)
    assert (taken.level, refused.level) == (Level.FINE, Level.LOOK)
    assert "(InvalidArn): `ask` leaves the version out" in refused.says
    assert "warning" in refused.do
    for double in (AwsAccount(), AwsAccount(REFUSED_VERSION), AwsAccount({"iam.CreateRole": ROLE_THERE})):
        examined(double)
        called = dict(double.asked)
        assert called["iam.DeleteRole"] == {"RoleName": "selfrag-doctor"}
        assert called["stepfunctions.DeleteStateMachine"] == {"stateMachineArn": MACHINE}


def test_a_role_that_step_functions_does_not_know_yet_is_waited_for_and_what_cannot_be_removed_is_told() -> None:
    new = Refused("AccessDeniedException", "states.amazonaws.com is not authorized to assume the provided role.")
    usual = AwsAccount().answers["stepfunctions.CreateStateMachine"]
    replies = iter([new, new, usual])
    answers = {"stepfunctions.CreateStateMachine": lambda asked: next(replies), "iam.DeleteRole": NOT_ALLOWED}
    pauses: list[float] = []
    account = Account(AwsAccount(answers).session(), Choices(), pause=pauses.append)
    found = list(machine_version.version(account))
    assert [each.level for each in found] == [Level.FINE, Level.LOOK]
    assert "role selfrag-doctor could not be removed" in found[1].says
    assert len(pauses) == 2


def test_the_most_that_collections_may_cost_is_told_with_how_to_set_it() -> None:
    _, found = findings("region", {"opensearchserverless.GetAccountSettings": limit_of_collections(10, 10)})
    assert found.level is Level.LOOK
    assert "10 units for indexing and 10 for search, which would cost 3,504 dollars a month" in found.says
    assert "update-account-settings --region eu-central-1 --capacity-limits" in found.do
    page = (ROOT / "docs" / "costs.md").read_text(encoding="utf-8")
    assert found.do.rpartition("--capacity-limits ")[2] in page


OTHERS, OWN = (f"arn:aws:iam::{NUMBER}:role/{each}" for each in ("others", "selfrag-api-logs"))


@pytest.mark.parametrize(
    ("role", "managed", "level", "says"),
    [
        (OTHERS, False, Level.FINE, OTHERS),
        (OTHERS, True, Level.BLOCKS, "would replace"),
        ("", False, Level.BLOCKS, "the stage cannot be made"),
        ("", True, Level.FINE, "the deployment makes selfrag-api-logs"),
        (OWN, True, Level.FINE, "selfrag-api-logs"),
    ],
    ids=["others'", "others', to be replaced", "none", "none, to be made", "its own"],
)
def test_the_logging_role_of_others_is_left_alone(role: str, managed: bool, level: Level, says: str) -> None:
    account = {"cloudwatchRoleArn": role} if role else {}
    found = finding("api-logs", {"apigateway.GetAccount": account}, manage_api_gateway_account=managed)
    assert (found.level, says in found.says, bool(found.do)) == (level, True, level is Level.BLOCKS)


def role(name: str) -> Reply:
    arn = f"arn:aws:iam::{NUMBER}:role/{name}"
    return {"RoleName": name, "Path": "/", "RoleId": "A" * 16, "Arn": arn, "CreateDate": datetime.now(UTC)}


def test_names_that_are_taken_block_unless_they_are_the_deployments_own() -> None:
    every = [role(f"selfrag-{name}") for name in functions()]
    taken = {
        "iam.ListRoles": {"Roles": [*every, role("selfrag-mine")]},
        # A bucket of another account is refused, and its name is taken all the same.
        "s3.HeadBucket": Refused("403", status=403),
        "secretsmanager.DescribeSecret": {"Name": "n"},
        "logs.DescribeLogGroups": lambda asked: {"logGroups": [{"logGroupName": f"{asked['logGroupNamePrefix']}ask"}]},
    }
    found = findings("names", taken, text_recognition="tables")
    assert {each.level for each in found} == {Level.BLOCKS}
    assert [each.says.split("are taken: ")[1] for each in found] == [
        f"selfrag-ask, selfrag-claim_document, selfrag-compose_answer and {len(functions()) - 3} more.",
        f"selfrag-documents-{NUMBER}-{REGION}, selfrag-recognized-{NUMBER}-{REGION}, selfrag-work-{NUMBER}-{REGION}.",
        "selfrag/anthropic, selfrag/tavily.",
        "/aws/lambda/selfrag-ask.",
    ]
    assert {each.level for each in findings("names", taken, deployed=True)} == {Level.FINE}


def test_a_secret_that_is_scheduled_for_deletion_blocks_and_can_be_freed() -> None:
    gone = {"secretsmanager.DescribeSecret": {"Name": "n", "DeletedDate": datetime.now(UTC)}}
    _, _, anthropic, *_ = findings("names", gone)
    assert anthropic.says == "The secret selfrag/anthropic is scheduled for deletion and keeps its name until then."
    assert "--force-delete-without-recovery --secret-id selfrag/anthropic" in anthropic.do


def test_a_name_that_will_not_be_made_is_not_looked_for() -> None:
    there = {"iam.ListRoles": {"Roles": [role("selfrag-api-logs")]}, "secretsmanager.DescribeSecret": NOT_ALLOWED}
    chosen = {"web_search": False, "model_provider": "bedrock", "models": {"generate": SONNET}}
    assert {each.level for each in findings("names", there, **chosen)} == {Level.FINE}
    assert findings("names", there, **chosen, manage_api_gateway_account=True)[0].level is Level.BLOCKS
    there["iam.ListRoles"] = {"Roles": [role("selfrag-stream")]}
    assert findings("names", there, **chosen)[0].level is Level.FINE
    assert findings("names", there, **chosen, stream_events=True)[0].level is Level.BLOCKS
    there["iam.ListRoles"] = {"Roles": [role("selfrag-send_spans")]}
    assert findings("names", there, **chosen)[0].level is Level.FINE
    assert findings("names", there, **chosen, otlp_endpoint="https://a.example.com")[0].level is Level.BLOCKS


def test_the_names_are_those_of_the_terraform() -> None:
    assert set(functions()) == functions_of()
    assert set(functions(streaming=True)) == function_roles()
    [machines] = [block["machines"] for block in local_values(text_of(ROOT / "infra")) if "machines" in block]
    assert set(machines) == set(MACHINES)


def test_services_that_the_policy_of_a_key_leaves_out_are_named() -> None:
    told = finding("key", {"kms.GetKeyPolicy": key_policy("cloudwatch", "events")}, kms_key_arn=KEY)
    assert told.level is Level.LOOK
    assert f"does not let delivery.logs.amazonaws.com, logs.{REGION}.amazonaws.com use it" in told.says


@pytest.mark.parametrize("more", [{"Action": "kms:Decrypt"}, {"Effect": "Deny"}, {"Principal": {"AWS": "*"}}])
def test_a_statement_that_gives_services_less_is_not_enough(more: dict[str, Any]) -> None:
    answer = {"kms.GetKeyPolicy": key_policy("logs.eu-central-1", "delivery.logs", "cloudwatch", "events", **more)}
    assert finding("key", answer, kms_key_arn=KEY).level is Level.LOOK


def test_without_a_key_of_yours_there_is_nothing_to_say_of_one() -> None:
    assert findings("key") == []


def test_alarms_that_reach_no_reader_are_told() -> None:
    assert finding("alarms").level is Level.LOOK
    assert finding("alarms", alarm_email="team@example.com").level is Level.FINE
