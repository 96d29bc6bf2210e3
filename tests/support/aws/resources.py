"""Tables and buckets of the local AWS, as the Terraform makes them in AWS."""

from collections.abc import Collection
from typing import Any

import boto3

from selfrag.adapters.feedback import BY_QUESTION
from selfrag.adapters.manifest import BY_COLLECTION

# The other values of the question's definition.
VALUES = {"step_seconds": "28"}
TABLES = {"verdicts_table": ("selfrag-verdicts", "key"), "answers_table": ("selfrag-answers", "id")}
REQUESTS_TABLE, DOCUMENTS_TABLE, CALLERS_TABLE = "selfrag-requests", "selfrag-documents", "selfrag-callers"
FEEDBACK_TABLE = "selfrag-feedback"
INDICES = {
    DOCUMENTS_TABLE: (BY_COLLECTION, "collection", "key"),
    FEEDBACK_TABLE: (BY_QUESTION, "question_id", "id"),
}
DOCUMENTS_BUCKET, WORK_BUCKET, RECOGNIZED_BUCKET = "selfrag-documents", "selfrag-work", "selfrag-recognized"
MODEL_SECRET, WEB_SECRET = "selfrag/model-key", "selfrag/web-key"


def make() -> None:
    """Create the tables and buckets."""
    dynamodb, s3 = boto3.client("dynamodb"), boto3.client("s3")
    for name, key in TABLES.values():
        _create_table(dynamodb, name, key)
    _create_table(dynamodb, REQUESTS_TABLE, "id")
    _create_table(dynamodb, FEEDBACK_TABLE, "id")
    _create_table(dynamodb, CALLERS_TABLE, "caller")
    _create_table(dynamodb, DOCUMENTS_TABLE, "id", "part")
    for bucket in (DOCUMENTS_BUCKET, WORK_BUCKET, RECOGNIZED_BUCKET):
        s3.create_bucket(Bucket=bucket)


def bind(caller: str, *collections: str, actions: Collection[str] = ("ask", "upload")) -> None:
    """Bind a caller as the output bind_command does: `key#ID` or `principal#ARN`; without a key it is `principal#`."""
    item = {"caller": {"S": caller}, "collections": {"SS": list(collections)}, "actions": {"SS": list(actions)}}
    boto3.client("dynamodb").put_item(TableName=CALLERS_TABLE, Item=item)


def empty_table(name: str, *keys: str) -> None:
    """Delete all items of a table."""
    client = boto3.client("dynamodb")
    for page in client.get_paginator("scan").paginate(TableName=name):
        for item in page["Items"]:
            client.delete_item(TableName=name, Key={key: item[key] for key in keys})


def _create_table(dynamodb: Any, name: str, *keys: str) -> None:
    index, *index_keys = INDICES.get(name, ("",))
    by_index = {"IndexName": index, "KeySchema": _key_schema(*index_keys), "Projection": {"ProjectionType": "ALL"}}
    indexes: dict[str, Any] = {"GlobalSecondaryIndexes": [by_index]} if index else {}
    attributes = {*keys, *index_keys}
    dynamodb.create_table(
        TableName=name,
        KeySchema=_key_schema(*keys),
        AttributeDefinitions=[{"AttributeName": key, "AttributeType": "S"} for key in attributes],
        BillingMode="PAY_PER_REQUEST",
        **indexes,
    )


def _key_schema(*keys: str) -> list[dict[str, str]]:
    return [{"AttributeName": key, "KeyType": kind} for key, kind in zip(keys, ("HASH", "RANGE"), strict=False)]
