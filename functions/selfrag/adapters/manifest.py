"""The manifest in DynamoDB: the state of each document, and its passages in the index."""

import time
from collections.abc import Mapping
from typing import Any

from typing_extensions import override

from selfrag.adapters.faults import aws_faults
from selfrag.adapters.items import DOCUMENT, Json, index_key_of, key_of, part_of, record_of, serialize, update_item
from selfrag.domain.records import Record, StoredPart, part_name
from selfrag.ports.manifest import Manifest

SERVICE = "the manifest"
# The index over collections; only the part `document` has that attribute.
BY_COLLECTION = "by_collection"
# Longer than an execution may run: after it, the holder of the document has died.
LEASE_SECONDS = 3700


class DynamoManifest(Manifest):
    """The table of documents."""

    def __init__(self, client: Any, table: str) -> None:
        self._client, self._table = client, table

    @override
    def read(self, document_id: str) -> Record | None:
        item = self._call("get_item", Key=key_of(document_id, DOCUMENT), ConsistentRead=True).get("Item")
        return record_of(item) if item else None

    @override
    def list_documents(
        self, collection: str, limit: int, after: tuple[str, str] | None = None
    ) -> tuple[list[Record], tuple[str, str] | None]:
        start = {} if after is None else {"ExclusiveStartKey": index_key_of(collection, *after)}
        page = self._call(
            "query",
            IndexName=BY_COLLECTION,
            KeyConditionExpression="#collection = :collection",
            ExpressionAttributeNames={"#collection": "collection"},
            ExpressionAttributeValues={":collection": {"S": collection}},
            Limit=limit,
            **start,
        )
        last = page.get("LastEvaluatedKey")
        records = [record for item in page["Items"] if (record := record_of(item)).status != "removed"]
        return records, None if last is None else (last["key"]["S"], last["id"]["S"])

    @override
    def claim(self, document_id: str, key: str, collection: str, owner: str) -> bool:
        now = int(time.time())
        values = {":owner": owner, ":until": now + LEASE_SECONDS, ":now": now, ":key": key, ":collection": collection}
        claimed = self._update(
            document_id,
            "SET lease_owner = :owner, lease_until = :until, #key = :key, #collection = :collection, "
            "lease_deletion = if_not_exists(deleted_at, :never) REMOVE look_again",
            "attribute_not_exists(lease_owner) OR lease_owner = :owner OR lease_until < :now",
            {**values, ":never": 0},
            {"#key": "key", "#collection": "collection"},
        )
        if not claimed:
            # If it was released meanwhile, no execution would look again: then this one can have it.
            if self._update(document_id, "SET look_again = :yes", "attribute_exists(lease_owner)", {":yes": True}):
                return False
            return self.claim(document_id, key, collection, owner)
        return True

    @override
    def begin_deletion(self, document_id: str, at: int) -> None:
        self._update(document_id, "SET deleted_at = :at", "attribute_exists(id)", {":at": at})

    @override
    def undo_deletion(self, document_id: str, at: int) -> None:
        self._update(document_id, "REMOVE deleted_at", "deleted_at = :at", {":at": at})

    @override
    def release(self, record: Record, owner: str) -> bool:
        fields = record.model_dump(exclude={"id", "deleted_at", "deletion_seen"})
        names = {f"#{name}": name for name in fields}
        values = {f":{name}": value for name, value in fields.items()}
        # A deletion that began after the claim may not have been seen.
        seen = "deletion_seen = if_not_exists(lease_deletion, :never)"
        setting = ", ".join([*(f"#{name} = :{name}" for name in fields), seen])
        mine = {**values, ":owner": owner, ":never": 0}
        if self._update(
            record.id,
            f"SET {setting} REMOVE lease_owner, lease_until, lease_deletion",
            "lease_owner = :owner AND attribute_not_exists(look_again)",
            mine,
            names,
        ):
            return True
        # Another event came meanwhile, or the lease was lost to another execution.
        return not self._update(record.id, f"SET {setting} REMOVE look_again", "lease_owner = :owner", mine, names)

    @override
    def parts(self, document_id: str) -> list[StoredPart]:
        pages = self._client.get_paginator("query").paginate(
            TableName=self._table,
            KeyConditionExpression="#id = :id",
            ExpressionAttributeNames={"#id": "id"},
            ExpressionAttributeValues={":id": {"S": document_id}},
            ConsistentRead=True,
        )
        with aws_faults(SERVICE):
            return [part_of(item) for page in pages for item in page["Items"] if item["part"]["S"] != DOCUMENT]

    @override
    def part(self, document_id: str, generation: str, number: int) -> StoredPart | None:
        key = key_of(document_id, part_name(generation, number))
        item = self._call("get_item", Key=key, ConsistentRead=True).get("Item")
        return part_of(item) if item else None

    @override
    def put(self, part: StoredPart) -> None:
        item = {"id": part.document_id, "part": part.name, "passage_ids": part.passage_ids, "ids": part.ids}
        if part.writing_since is not None:
            item["writing_since"] = str(part.writing_since)
        self._call("put_item", Item=serialize(item))

    @override
    def forget(self, part: StoredPart) -> None:
        self._call("delete_item", Key=key_of(part.document_id, part.name))

    def _update(
        self, document_id: str, expression: str, condition: str, values: Json, names: Mapping[str, str] | None = None
    ) -> bool:
        key = key_of(document_id, DOCUMENT)
        with aws_faults(SERVICE):
            return update_item(self._client, self._table, key, expression, condition, values, names or {})

    def _call(self, operation: str, **request: Any) -> Json:
        with aws_faults(SERVICE):
            reply: Json = getattr(self._client, operation)(TableName=self._table, **request)
            return reply
