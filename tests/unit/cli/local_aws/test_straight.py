"""A request that goes straight to what answers it gets the reply that moto gives to one that was sent."""

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws

from cli.local.aws.interpreter import local_aws

KEY = {"key": {"S": "ключ 'é'"}}
ITEM = {**KEY, "n": {"N": "1"}, "bytes": {"B": b"\x00\xff"}, "many": {"L": [{"M": {"a": {"NULL": True}}}]}}
ANEW = {"ConditionExpression": "attribute_not_exists(#k)", "ExpressionAttributeNames": {"#k": "key"}}
ADDED: dict[str, Any] = {
    "UpdateExpression": "ADD n :one",
    "ExpressionAttributeValues": {":one": {"N": "1"}},
    "ReturnValues": "ALL_NEW",
}
WITH_KEY: dict[str, Any] = {
    "KeyConditionExpression": "#k = :k",
    "ExpressionAttributeNames": {"#k": "key"},
    "ExpressionAttributeValues": {":k": KEY["key"]},
}
ASKED: list[tuple[str, dict[str, Any]]] = [
    ("get_item", {"Key": KEY}),
    ("put_item", {"Item": ITEM}),
    ("put_item", {"Item": ITEM, "ReturnValuesOnConditionCheckFailure": "ALL_OLD", **ANEW}),
    ("get_item", {"Key": KEY, "ConsistentRead": True}),
    ("update_item", {"Key": KEY, **ADDED}),
    ("update_item", {"Key": KEY, **ADDED, "UpdateExpression": "ADD"}),
    ("query", WITH_KEY),
    ("delete_item", {"Key": KEY, "ReturnValues": "ALL_OLD"}),
    ("query", WITH_KEY),
    ("get_item", {"Key": KEY, "TableName": "none"}),
]


@pytest.fixture(autouse=True)
def account(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("DEFAULT_REGION", "eu-west-1"), ("ACCESS_KEY_ID", "k"), ("SECRET_ACCESS_KEY", "s")):
        monkeypatch.setenv(f"AWS_{name}", value)


def replies(aws: AbstractContextManager[Any]) -> list[Any]:
    """What each request was told, without what is another each time."""
    with aws:
        client = boto3.client("dynamodb")
        client.create_table(
            TableName="t",
            KeySchema=[{"AttributeName": "key", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "key", "AttributeType": "S"}],
            BillingMode="PAY_PER_REQUEST",
        )
        return [_told(getattr(client, name), {"TableName": "t", **asked}) for name, asked in ASKED]


def _told(call: Callable[..., Any], asked: dict[str, Any]) -> Any:
    try:
        reply = call(**asked)
    except ClientError as error:
        reply = {**error.response, "error": type(error).__name__}
    metadata = reply.pop("ResponseMetadata")
    assert metadata["RequestId"]
    return reply | {"status": metadata["HTTPStatusCode"]}


def test_tables_reply_the_same_also_when_they_refuse() -> None:
    straight, sent = replies(local_aws({})), replies(mock_aws())
    assert straight == sent
    assert [reply["status"] for reply in straight] == [200, 200, 400, 200, 200, 400, 200, 200, 200, 400]


def test_a_lambda_is_told_of_its_event_and_tells_its_result_or_its_error() -> None:
    def handler(event: dict[str, Any], context: Any) -> Any:
        if event["fails"]:
            raise LookupError("Not there: é.")
        return {"of": context.function_name, "event": event}

    with local_aws({"f": handler}):
        client, arn = boto3.client("lambda"), "arn:aws:lambda:eu-west-1:123456789012:function:f"
        well, ill = (client.invoke(FunctionName=arn, Payload=json.dumps({"fails": fails})) for fails in (False, True))
        assert json.load(well["Payload"]) == {"of": arn, "event": {"fails": False}}
        assert (well["StatusCode"], "FunctionError" in well) == (200, False)
        assert json.load(ill["Payload"]) == {"errorType": "LookupError", "errorMessage": "Not there: é."}
        assert (ill["StatusCode"], ill["FunctionError"]) == (200, "Unhandled")
