"""What the doctor says of Step Functions, OpenSearch Serverless, API Gateway, and of names that are taken."""

from datetime import UTC, datetime

import pytest
from botocore.exceptions import EndpointConnectionError

from cli.doctor.account.names import MACHINES, TABLES, functions
from cli.doctor.findings import Level
from tests.support.command import ROOT
from tests.support.doubles.aws_account import (
    ACCOUNT,
    NOT_ALLOWED,
    REGION,
    Answer,
    Refused,
    Reply,
    limit_of_collections,
    machine_quotas,
)
from tests.support.examined import finding, findings
from tests.support.infra.rules import functions_of, local_values, text_of

NOWHERE = EndpointConnectionError(endpoint_url="https://nowhere")
OTHERS = f"arn:aws:iam::{ACCOUNT}:role/others"


def role(name: str) -> Reply:
    arn = f"arn:aws:iam::{ACCOUNT}:role/{name}"
    return {"RoleName": name, "Path": "/", "RoleId": "A" * 16, "Arn": arn, "CreateDate": datetime.now(UTC)}


def test_the_limits_of_step_functions_are_told_in_questions() -> None:
    slow, starts = findings("machine-limits", quotas={"states": machine_quotas(160)})
    assert (slow.level, slow.rate) == (Level.LOOK, 5)
    assert slow.says == "Standard machines have 160 state transitions a second: 5 questions a second."
    assert "--quota-code L-STATE --desired-value 320" in slow.do
    assert starts.level is Level.FINE
    unlisted = finding("machine-limits", quotas={"states": []})
    assert (unlisted.level, "service-quotas.html" in unlisted.do) == (Level.UNKNOWN, True)


def test_a_region_without_the_synchronous_start_or_without_collections_blocks() -> None:
    for name, operation in (
        ("express", "stepfunctions.StartSyncExecution"),
        ("collection-units", "opensearchserverless.GetAccountSettings"),
    ):
        found = finding(name, {operation: NOWHERE})
        assert found.level is Level.BLOCKS
        assert REGION in found.says
        assert "`region`" in found.do


def test_who_may_not_start_a_machine_still_learns_that_the_region_has_it() -> None:
    assert finding("express", {"stepfunctions.StartSyncExecution": NOT_ALLOWED}).level is Level.FINE


def test_the_most_that_collections_may_cost_is_told_with_how_to_set_it() -> None:
    found = finding("collection-units", {"opensearchserverless.GetAccountSettings": limit_of_collections(10, 10)})
    assert found.level is Level.LOOK
    assert "10 units for indexing and 10 for search, which would cost 3,504 dollars a month" in found.says
    assert "update-account-settings --region eu-central-1 --capacity-limits" in found.do
    page = (ROOT / "docs" / "costs.md").read_text(encoding="utf-8")
    assert found.do.rpartition("--capacity-limits ")[2] in page


def test_a_region_without_textract_blocks_who_wants_text_recognition_and_nobody_else() -> None:
    gone = {"textract.GetDocumentTextDetection": NOWHERE}
    found = finding("textract", gone, text_recognition=True)
    assert (found.level, REGION in found.says, "`text_recognition`" in found.do) == (Level.BLOCKS, True, True)
    assert findings("textract", gone) == []
    assert finding("textract", text_recognition=True).level is Level.FINE
    refused = {"textract.GetDocumentTextDetection": NOT_ALLOWED}
    assert finding("textract", refused, text_recognition=True).level is Level.UNKNOWN


@pytest.mark.parametrize(
    ("role", "managed", "level", "says"),
    [
        (OTHERS, False, Level.FINE, OTHERS),
        (OTHERS, True, Level.BLOCKS, "would replace"),
        ("", False, Level.BLOCKS, "the stage cannot be made"),
        ("", True, Level.FINE, "the deployment makes selfrag-api-logs"),
        (f"arn:aws:iam::{ACCOUNT}:role/selfrag-api-logs", True, Level.FINE, "selfrag-api-logs"),
    ],
    ids=["others'", "others', to be replaced", "none", "none, to be made", "its own"],
)
def test_the_logging_role_of_others_is_left_alone(role: str, managed: bool, level: Level, says: str) -> None:
    account = {"cloudwatchRoleArn": role} if role else {}
    found = finding("api-logs", {"apigateway.GetAccount": account}, manage_api_gateway_account=managed)
    assert found.level is level
    assert says in found.says
    assert bool(found.do) == (level is Level.BLOCKS)


TAKEN: dict[str, tuple[str, Answer, str]] = {
    "roles": ("iam.ListRoles", {"Roles": [role("selfrag-ask"), role("selfrag-mine")]}, "selfrag-ask."),
    "machines": (
        "stepfunctions.ListStateMachines",
        {"stateMachines": [{"name": name, "type": "EXPRESS", "creationDate": datetime.now(UTC),
                            "stateMachineArn": f"arn:{name}"} for name in ("selfrag-express", "another")]},
        "selfrag-express.",
    ),
    "tables": ("dynamodb.ListTables", {"TableNames": ["selfrag-answers", "others"]}, "selfrag-answers."),
    "buckets": ("s3.HeadBucket", {}, f"selfrag-documents-{ACCOUNT}-{REGION}, selfrag-work-{ACCOUNT}-{REGION}."),
    "logs": (
        "logs.DescribeLogGroups",
        lambda asked: {"logGroups": [{"logGroupName": asked["logGroupNamePrefix"] + "ask"}]},
        "/aws/lambda/selfrag-ask.",
    ),
    "collection": ("opensearchserverless.BatchGetCollection", {"collectionDetails": [{"name": "selfrag"}]}, "selfrag."),
    "secrets": ("secretsmanager.DescribeSecret", {"Name": "n"}, "selfrag/anthropic, selfrag/tavily."),
}  # fmt: skip


@pytest.mark.parametrize("check", TAKEN)
def test_a_name_that_is_taken_blocks_unless_it_is_the_deployments_own(check: str) -> None:
    operation, answer, names = TAKEN[check]
    found = finding(check, {operation: answer})
    assert found.level is Level.BLOCKS
    assert found.says.endswith(f"are taken: {names}")
    assert "another `name`" in found.do
    assert finding(check, {operation: answer}, deployed=True).level is Level.FINE
    assert finding(check).says.endswith("are taken.")
    assert finding(check).level is Level.FINE


def test_of_many_names_the_first_are_shown() -> None:
    every = {"Roles": [role(f"selfrag-{name}") for name in functions()]}
    assert finding("roles", {"iam.ListRoles": every}).says.endswith(f" and {len(functions()) - 3} more.")


def test_the_name_of_the_logging_role_is_needed_where_it_is_made() -> None:
    there = {"iam.ListRoles": {"Roles": [role("selfrag-api-logs")]}}
    assert finding("roles", there, manage_api_gateway_account=True).level is Level.BLOCKS
    assert finding("roles", there).level is Level.FINE


def test_a_bucket_of_another_account_is_taken_too() -> None:
    assert finding("buckets", {"s3.HeadBucket": Refused("403", status=403)}).level is Level.BLOCKS


def test_a_secret_that_is_scheduled_for_deletion_blocks_and_can_be_freed() -> None:
    gone = {"secretsmanager.DescribeSecret": {"Name": "n", "DeletedDate": datetime.now(UTC)}}
    anthropic, _, _ = findings("secrets", gone)
    assert anthropic.says == "The secret selfrag/anthropic is scheduled for deletion and keeps its name until then."
    assert "--force-delete-without-recovery --secret-id selfrag/anthropic" in anthropic.do


def test_no_secret_and_no_collection_is_looked_for_that_will_not_be_made() -> None:
    refused = {"secretsmanager.DescribeSecret": NOT_ALLOWED, "opensearchserverless.BatchGetCollection": NOT_ALLOWED}
    chosen = {"web_search": False, "model_provider": "bedrock", "models": {"generate": "anthropic.claude-x-1"}}
    assert finding("secrets", refused, **chosen).level is Level.FINE
    assert finding("collection", refused, collection_endpoint="https://a.aoss").level is Level.FINE


def test_the_names_are_those_of_the_terraform() -> None:
    assert set(functions()) == functions_of()
    values = local_values(text_of(ROOT / "infra"))
    [machines] = [block["machines"] for block in values if "machines" in block]
    [tables] = [block["tables"] for block in values if "tables" in block]
    assert (set(machines), set(tables)) == (set(MACHINES), set(TABLES))
