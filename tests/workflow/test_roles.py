"""Functions and machines may do what their roles allow, and are refused as AWS refuses."""

from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError

from selfrag.adapters.faults import typed
from selfrag.domain.errors import Misconfigured
from tests.support.aws.resources import WORK_BUCKET
from tests.support.infra.tools import simulator
from tests.support.ingesting import ingestion
from tests.support.roles.policies import Policies, exported, place_of, without
from tests.support.roles.recorded import Allows, as_caller, recording
from tests.support.roles.roles import Roles

KEY = "handbook/leave.md"


@pytest.fixture(autouse=True)
def policies() -> Policies:
    simulator()
    return exported()


def ingested(allows: Allows) -> str:
    """Return how a document's ingestion ends, and why."""
    with ingestion(allows=allows) as running:
        running.put(KEY, b"# Leave\n\nLeave is 25 days.\n")
        execution = running.ingest(KEY)
        return execution.error or f"{execution.output['status']} {execution.output['reason']}".strip()


def test_with_the_roles_as_they_are_a_document_is_ingested(policies: Policies) -> None:
    assert ingested(Roles(policies).allow) == "ready"


REFUSED = "gave no result (Misconfigured)."


@pytest.mark.parametrize(
    ("statement", "end"),
    [
        # What embed_passages looks for is not there yet, and S3 says so only to those who may list the bucket.
        ("embed_passages.SeeWhichWorkIsDone", f"failed EmbedPassages {REFUSED}"),
        ("split_document.ReadWork", f"failed SplitDocument {REFUSED}"),
        ("parse_document.WriteWork", f"failed ParseDocument {REFUSED}"),
        ("embed_passages.Embed", f"failed EmbedPassages {REFUSED}"),
        ("index_passages.UseCollection", f"failed IndexPassages {REFUSED}"),
        ("index_passages.RememberPassages", f"failed IndexPassages {REFUSED}"),
    ],
)
def test_a_role_without_a_statement_that_it_needs_fails_the_document(
    policies: Policies, statement: str, end: str
) -> None:
    assert ingested(Roles(without(policies, *place_of(policies, statement))).allow) == end


def test_a_machine_that_may_not_run_its_steps_fails(policies: Policies) -> None:
    ended = ingested(Roles(without(policies, *place_of(policies, "ingestion.RunSteps"))).allow)
    assert ended == "NotClaimed: ClaimDocument gave no result (Lambda.AWSLambdaException)."


def test_who_is_not_in_the_data_access_policy_cannot_write_to_the_collection(policies: Policies) -> None:
    policies["collection"] = [each for each in policies["collection"] if "Writing" not in each["Description"]]
    assert ingested(Roles(policies).allow) == f"failed IndexPassages {REFUSED}"


def refusal(service: str, operation: str, **parameters: Any) -> ClientError:
    """Return what a call of a function raises."""

    def call(event: dict[str, Any], context: Any) -> None:
        getattr(boto3.client(service), operation)(**parameters)

    with pytest.raises(ClientError) as raised:
        as_caller("f", call)({}, None)
    return raised.value


def nothing(who: str, action: str, resource: str) -> bool:
    return False


@pytest.mark.parametrize("operation", ["head_object", "get_object"])
def test_a_missing_object_is_missing_to_who_may_list_the_bucket_and_forbidden_to_others(operation: str) -> None:
    missing = {"Bucket": WORK_BUCKET, "Key": "missing"}
    with ingestion(allows=lambda who, action, resource: True):
        assert refusal("s3", operation, **missing).response["ResponseMetadata"]["HTTPStatusCode"] == 404
    with ingestion(allows=lambda who, action, resource: action != "s3:ListBucket"):
        assert refusal("s3", operation, **missing).response["ResponseMetadata"]["HTTPStatusCode"] == 403


@pytest.mark.parametrize(
    ("service", "operation", "parameters", "code", "status"),
    [
        ("s3", "head_object", {"Bucket": "b", "Key": "k"}, "403", 403),
        ("s3", "put_object", {"Bucket": "b", "Key": "k"}, "AccessDenied", 403),
        ("dynamodb", "get_item", {"TableName": "table", "Key": {}}, "AccessDeniedException", 400),
        ("secretsmanager", "get_secret_value", {"SecretId": "s"}, "AccessDeniedException", 400),
        ("stepfunctions", "start_execution", {"stateMachineArn": "a"}, "AccessDeniedException", 400),
        ("bedrock-runtime", "invoke_model", {"modelId": "m", "body": b""}, "AccessDeniedException", 403),
        ("lambda", "invoke", {"FunctionName": "f"}, "AccessDeniedException", 403),
    ],
)
def test_each_service_refuses_in_its_own_way_and_a_step_says_that_it_is_misconfigured(
    service: str, operation: str, parameters: dict[str, Any], code: str, status: int
) -> None:
    with recording(nothing):
        refused = refusal(service, operation, **parameters)
    assert refused.response["Error"]["Code"] == code
    assert refused.response["ResponseMetadata"]["HTTPStatusCode"] == status
    assert isinstance(typed(refused, service), Misconfigured)
