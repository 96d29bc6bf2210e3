"""The manifest in DynamoDB: what is known of each document, and which passages of it the index holds.

A document's items share its id. The part `document` tells its state; each other part, `GENERATION#NUMBER`, is a batch
of passages with the index's own ids, by which alone they can be deleted.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

import boto3
from boto3.dynamodb.types import TypeDeserializer, TypeSerializer
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from selfrag.errors import TemporarilyUnavailable
from selfrag.ingestion import ingestion_settings

DOCUMENT = "document"
# The index over collections: only the part `document` has that attribute.
BY_COLLECTION = "by_collection"
# Longer than an execution may run: after it, whoever held the document has died.
LEASE_SECONDS = 3700

DocumentStatus = Literal["ready", "failed", "removed", "working"]
Json = dict[str, Any]


@dataclass(frozen=True)
class Record:
    """What is known of a document; `generation` is the content that the index holds, "" for none."""

    id: str
    key: str = ""
    collection: str = ""
    status: DocumentStatus = "working"
    reason: str = ""
    version: str = ""
    generation: str = ""
    title: str = ""
    passages: int = 0
    pages: int = 0
    warnings: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    date: str | None = None
    updated_at: int = 0


@dataclass(frozen=True)
class Part:
    """A batch of passages: their ids, and the index's own id of each that is known to be written.

    `writing_since` is set (seconds since the epoch) from before a write until its outcome is known.
    """

    document_id: str
    generation: str
    number: int
    passage_ids: list[str]
    ids: dict[str, str]
    writing_since: float | None = None

    @property
    def name(self) -> str:
        """The part's name in the table."""
        return f"{self.generation}#{self.number:05}"


class Manifest:
    """The table of documents; raises TemporarilyUnavailable when it cannot be used."""

    def __init__(self, client: Any, table: str) -> None:
        self._client, self._table = client, table

    def read(self, document_id: str) -> Record | None:
        """What is known of a document, or None."""
        return _record(self._call("get_item", Key=_key(document_id, DOCUMENT), ConsistentRead=True).get("Item"))

    def listed(
        self, collection: str, limit: int, after: tuple[str, str] | None = None
    ) -> tuple[list[Record], tuple[str, str] | None]:
        """Documents of a collection by key, and after which (key, id) the next page begins, None if this is the last.

        `limit` counts removed documents too, which are left out.
        """
        start = {} if after is None else {"ExclusiveStartKey": _index_key(collection, *after)}
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
        records = [record for item in page["Items"] if (record := _record(item)) and record.status != "removed"]
        return records, None if last is None else (last["key"]["S"], last["id"]["S"])

    def claim(self, document_id: str, key: str, collection: str, owner: str) -> bool:
        """Take a document for one execution; false if another has it, which is then told to look again."""
        now = int(time.time())
        values = {":owner": owner, ":until": now + LEASE_SECONDS, ":now": now, ":key": key, ":collection": collection}
        claimed = self._update(
            document_id,
            "SET lease_owner = :owner, lease_until = :until, #key = :key, #collection = :collection REMOVE look_again",
            "attribute_not_exists(lease_owner) OR lease_owner = :owner OR lease_until < :now",
            values,
            {"#key": "key", "#collection": "collection"},
        )
        if not claimed:
            # If it has been let go meanwhile, nobody would look again: then this execution can have it.
            if self._update(document_id, "SET look_again = :yes", "attribute_exists(lease_owner)", {":yes": True}):
                return False
            return self.claim(document_id, key, collection, owner)
        return True

    def release(self, record: Record, owner: str) -> bool:
        """Write what is known now and let the document go; false if it has to be looked at again, and is kept."""
        fields = {name: getattr(record, name) for name in _WRITTEN}
        names = {f"#{name}": name for name in fields}
        values = {f":{name}": value for name, value in fields.items()}
        setting = ", ".join(f"#{name} = :{name}" for name in fields)
        mine = {**values, ":owner": owner}
        if self._update(
            record.id,
            f"SET {setting} REMOVE lease_owner, lease_until",
            "lease_owner = :owner AND attribute_not_exists(look_again)",
            mine,
            names,
        ):
            return True
        # Another event came while the document was worked on, or the lease was lost to another execution.
        return not self._update(record.id, f"SET {setting} REMOVE look_again", "lease_owner = :owner", mine, names)

    def parts(self, document_id: str) -> list[Part]:
        """Every batch of passages of a document that the index may hold."""
        found: list[Part] = []
        start: Json = {}
        while True:
            page = self._call(
                "query",
                KeyConditionExpression="#id = :id",
                ExpressionAttributeNames={"#id": "id"},
                ExpressionAttributeValues={":id": {"S": document_id}},
                ConsistentRead=True,
                **start,
            )
            found += [_part(item) for item in page["Items"] if item["part"]["S"] != DOCUMENT]
            if "LastEvaluatedKey" not in page:
                return found
            start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}

    def part(self, document_id: str, generation: str, number: int) -> Part | None:
        """One batch of passages, or None."""
        name = f"{generation}#{number:05}"
        item = self._call("get_item", Key=_key(document_id, name), ConsistentRead=True).get("Item")
        return _part(item) if item else None

    def put(self, part: Part) -> None:
        """Write a batch as it is known now."""
        item = {"id": part.document_id, "part": part.name, "passage_ids": part.passage_ids, "ids": part.ids}
        if part.writing_since is not None:
            item["writing_since"] = str(part.writing_since)
        self._call("put_item", Item=_serialized(item))

    def forget(self, part: Part) -> None:
        """Remove a batch whose passages are gone from the index."""
        self._call("delete_item", Key=_key(part.document_id, part.name))

    def _update(
        self, document_id: str, expression: str, condition: str, values: Json, names: Mapping[str, str] | None = None
    ) -> bool:
        try:
            self._client.update_item(
                TableName=self._table,
                Key=_key(document_id, DOCUMENT),
                UpdateExpression=expression,
                ConditionExpression=condition,
                ExpressionAttributeValues=_serialized(values),
                **({"ExpressionAttributeNames": dict(names)} if names else {}),
            )
        except ClientError as error:
            if error.response["Error"]["Code"] == "ConditionalCheckFailedException":
                return False
            raise _unavailable(error) from error
        except BotoCoreError as error:
            raise _unavailable(error) from error
        return True

    def _call(self, operation: str, **request: Any) -> Json:
        try:
            reply: Json = getattr(self._client, operation)(TableName=self._table, **request)
        except (BotoCoreError, ClientError) as error:
            raise _unavailable(error) from error
        return reply


def manifest() -> Manifest:
    """The manifest of this deployment."""
    return Manifest(_client(), ingestion_settings().documents_table)


_WRITTEN = (
    "key", "collection", "status", "reason", "version", "generation", "title", "passages", "pages", "warnings",
    "tags", "date", "updated_at",
)  # fmt: skip


@cache
def _client() -> Any:
    return boto3.client("dynamodb", config=Config(connect_timeout=2, read_timeout=5, retries={"total_max_attempts": 3}))


def _key(document_id: str, part: str) -> Json:
    return {"id": {"S": document_id}, "part": {"S": part}}


def _index_key(collection: str, key: str, document_id: str) -> Json:
    return {**_key(document_id, DOCUMENT), "collection": {"S": collection}, "key": {"S": key}}


def _serialized(values: Json) -> Json:
    return {name: TypeSerializer().serialize(value) for name, value in values.items()}


def _plain(item: Json) -> Json:
    return {name: TypeDeserializer().deserialize(value) for name, value in item.items()}


def _record(item: Json | None) -> Record | None:
    if item is None:
        return None
    known = _plain(item)
    counts = {name: int(known.get(name, 0)) for name in ("passages", "pages", "updated_at")}
    return Record(id=known["id"], **{**{name: known[name] for name in _WRITTEN if name in known}, **counts})


def _part(item: Json) -> Part:
    known = _plain(item)
    generation, _, number = known["part"].partition("#")
    since = known.get("writing_since")
    return Part(
        known["id"],
        generation,
        int(number),
        known["passage_ids"],
        known["ids"],
        None if since is None else float(since),
    )


def _unavailable(error: Exception) -> TemporarilyUnavailable:
    return TemporarilyUnavailable(f"the manifest cannot be used: {type(error).__name__}")
