"""The manifest's records as items of its table.

A document's items share its id. The part `document` holds its state; each other part, `GENERATION#NUMBER`, is a batch
of passages with the index's own ids, which are needed to delete them.
"""

from collections.abc import Mapping
from typing import Any

from boto3.dynamodb.types import TypeDeserializer, TypeSerializer
from botocore.exceptions import ClientError
from pydantic import TypeAdapter

from selfrag.adapters.faults import code_of, unreadable_faults
from selfrag.domain.records import Record, StoredPart

DOCUMENT = "document"

Json = dict[str, Any]
_PART = TypeAdapter(StoredPart)


def key_of(document_id: str, part: str) -> Json:
    """Return the key of an item."""
    return {"id": {"S": document_id}, "part": {"S": part}}


def index_key_of(collection: str, key: str, document_id: str) -> Json:
    """Return the key of a document's item in the index over collections."""
    return {**key_of(document_id, DOCUMENT), "collection": {"S": collection}, "key": {"S": key}}


def serialize(values: Json) -> Json:
    """Return values in DynamoDB's form."""
    return {name: TypeSerializer().serialize(value) for name, value in values.items()}


def record_of(item: Json) -> Record:
    """Return the record in a document's item; raises Unreadable for an item of another version."""
    values = values_of(item)
    with unreadable_faults("the manifest"):
        return Record.model_validate(values, extra="ignore")


def part_of(item: Json) -> StoredPart:
    """Return the batch in an item; raises Unreadable as `record_of` does."""
    values = values_of(item)
    generation, _, number = values.pop("part").partition("#")
    with unreadable_faults("the manifest"):
        return _PART.validate_python(
            {"document_id": values.pop("id"), **values, "generation": generation, "number": number}
        )


def values_of(item: Json) -> Json:
    """Return an item's values in Python's form."""
    return {name: TypeDeserializer().deserialize(value) for name, value in item.items()}


def update_item(
    client: Any, table: str, key: Json, expression: str, condition: str, values: Json, names: Mapping[str, str]
) -> bool:
    """Update an item if the condition holds, and return whether it did; raises botocore's other errors."""
    try:
        client.update_item(
            TableName=table,
            Key=key,
            UpdateExpression=expression,
            ConditionExpression=condition,
            ExpressionAttributeValues=serialize(values),
            **({"ExpressionAttributeNames": dict(names)} if names else {}),
        )
    except ClientError as error:
        if code_of(error) == "ConditionalCheckFailedException":
            return False
        raise
    return True
