"""Reconciles a deployment's index with its bucket after the documents table was restored or lost.

The collection assigns passage ids itself, so only the table knows them. The index's current content is written to the
table; then normal ingestion updates stale documents and removes deleted ones.
"""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import Any

import boto3
from pydantic import BaseModel

from selfrag.adapters.executions import strip_version
from selfrag.adapters.faults import aws_faults
from selfrag.adapters.items import DOCUMENT, key_of
from selfrag.adapters.manifest import SERVICE, DynamoManifest
from selfrag.adapters.opensearch.collection import SearchReply, connect, index_faults, read_reply
from selfrag.domain.documents import collection_of, document_id
from selfrag.domain.errors import InvalidInput, Misconfigured, TemporarilyUnavailable
from selfrag.domain.records import StoredPart

# The generation of passages found in the index; the next ingestion replaces it.
RESTORED = "restored"
PAGE = 1000
_ORDER = ("document", "position")
# Passages per table item; DynamoDB allows 400 KB.
_PART_PASSAGES = 500
# No ingestion may run meanwhile, so claims in a restored table are void.
_NO_CLAIM = "REMOVE lease_owner, lease_until, lease_deletion, look_again"
SECONDS_BETWEEN_LOOKS = 5.0


class IndexedPassage(BaseModel):
    """An indexed passage with the service's id."""

    service_id: str
    passage_id: str
    document: str


@dataclass
class Restoration:
    """Documents that the table had wrong, and those missing from the bucket."""

    unknown: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    passages: int = 0


class RestorableTable(DynamoManifest):
    """The documents table, with an operator's credentials."""

    def documents(self) -> Iterator[tuple[str, str]]:
        """Yield id and key of each document, including removed ones, and release their claims."""
        with aws_faults(SERVICE):
            pages = self._client.get_paginator("scan").paginate(TableName=self._table, ConsistentRead=True)
            for item in (item for page in pages for item in page["Items"]):
                if item["part"]["S"] == DOCUMENT and "key" in item:
                    if "lease_owner" in item:
                        self._set(item["id"]["S"], _NO_CLAIM, {})
                    yield item["id"]["S"], item["key"]["S"]

    def mark_stale(self, document_id: str, key: str, generation: str) -> None:
        """Set this generation, so that the document is ingested again."""
        fields = {"key": key, "collection": collection_of(key), "generation": generation, "version": ""}
        setting = ", ".join(f"#{name} = :{name}" for name in fields)
        self._set(document_id, f"SET {setting} {_NO_CLAIM}", fields)

    def _set(self, document_id: str, expression: str, fields: Mapping[str, str]) -> None:
        named: Any = {"ExpressionAttributeNames": {f"#{name}": name for name in fields}} if fields else {}
        if fields:
            named["ExpressionAttributeValues"] = {f":{name}": {"S": value} for name, value in fields.items()}
        self._call("update_item", Key=key_of(document_id, DOCUMENT), UpdateExpression=expression, **named)


def passages_of(client: Any, index: str) -> Iterator[IndexedPassage]:
    """Yield all passages of an index by document; raises Misconfigured if they are ambiguous."""
    after: list[Any] = []
    while True:
        body = {
            "size": PAGE,
            "_source": ["passage_id"],
            "query": {"match_all": {}},
            "sort": [{name: "asc"} for name in _ORDER],
            **({"search_after": after} if after else {}),
        }
        with index_faults():
            hits = read_reply(SearchReply, client.search(index=index, body=body)).complete()
        is_full = len(hits) == PAGE
        if is_full:
            # Copies at one position have no order, so the next page restarts at the last position.
            hits = [hit for hit in hits if hit.sort != hits[-1].sort]
            if not hits:
                raise Misconfigured(
                    f"{PAGE} passages stand at one place of a document: take another index, and reindex."
                )
        for hit in hits:
            yield IndexedPassage(service_id=hit.id, document=hit.sort[0], **hit.source)
        if not is_full:
            return
        after = hits[-1].sort


def restore_index(
    bucket: str,
    keys: Iterable[str],
    indexed: Iterable[IndexedPassage],
    table: RestorableTable,
    machines: "DeployedMachines",
) -> Restoration:
    """Reconcile table and index with the bucket's `keys` and return the differences.

    It can be interrupted and repeated.
    """
    there, done = {document_id(bucket, key) for key in keys}, Restoration()
    names = dict(table.documents())
    seen = set[str]()
    for key, group in groupby(indexed, key=lambda passage: passage.document):
        identity, passages = document_id(bucket, key), list(group)
        seen.add(identity)
        names[identity] = key
        done.passages += len(passages)
        if _adopt(identity, key, passages, table):
            done.unknown.append(key)
    for identity in names.keys() - seen:
        # The table may list passages that the index lacks.
        if _adopt(identity, names[identity], [], table):
            done.unknown.append(names[identity])
    done.gone = sorted(name for identity, name in names.items() if identity not in there)
    for name in done.gone:
        machines.ingest(name)
    machines.reindex()
    return done


def _adopt(identity: str, key: str, passages: Sequence[IndexedPassage], table: RestorableTable) -> bool:
    """Write a document's index content to the table; return whether the table differed."""
    parts = table.parts(identity)
    ids = {service_id for part in parts for service_id in part.ids.values()}
    if ids == {passage.service_id for passage in passages} and not any(part.writing_since for part in parts):
        return False
    # First, so that an interruption still leads to reingestion.
    table.mark_stale(identity, key, RESTORED)
    new = _parts(identity, passages)
    for part in new:
        table.put(part)
    for part in parts:
        if part.name not in {each.name for each in new}:
            table.forget(part)
    return True


def _parts(identity: str, passages: Sequence[IndexedPassage]) -> list[StoredPart]:
    """Split passages into parts; copies of a passage go to different parts."""
    rows: list[dict[str, str]] = []
    for passage in passages:
        row = next((row for row in rows if passage.passage_id not in row and len(row) < _PART_PASSAGES), None)
        if row is None:
            rows.append(row := {})
        row[passage.passage_id] = passage.service_id
    return [StoredPart(identity, RESTORED, number, list(row), row) for number, row in enumerate(rows)]


@dataclass(frozen=True)
class DeployedMachines:
    """A deployment's machines; executions are awaited."""

    client: Any
    bucket: str
    intake: str
    ingestion: str
    reindexing: str
    pause: Callable[[float], None] = time.sleep

    def check_quiet(self) -> None:
        """Raise InvalidInput during an ingestion, whose writes would look like a loss."""
        # The intake starts further documents while its queue has some.
        for machine in map(strip_version, (self.intake, self.ingestion)):
            with aws_faults("Step Functions"):
                running = self.client.list_executions(stateMachineArn=machine, statusFilter="RUNNING", maxResults=1)
            if running["executions"]:
                raise InvalidInput(
                    "Documents are being ingested: set ingest_on_upload = false, deploy, and run this again after them."
                )

    def ingest(self, key: str) -> None:
        """Run the ingestion of an object and wait."""
        self._run(self.ingestion, {"bucket": self.bucket, "key": key})

    def reindex(self) -> None:
        """Ingest every outdated object of the bucket and wait."""
        self._run(self.reindexing, {})

    def _run(self, machine: str, payload: Mapping[str, str]) -> None:
        with aws_faults("Step Functions"):
            arn = self.client.start_execution(stateMachineArn=machine, input=json.dumps(payload))["executionArn"]
            while (status := self.client.describe_execution(executionArn=arn)["status"]) == "RUNNING":
                self.pause(SECONDS_BETWEEN_LOOKS)
        if status != "SUCCEEDED":
            raise TemporarilyUnavailable(f"the execution {arn} ended as {status}: look at it, and run this again")


def keys_in(client: Any, bucket: str) -> Iterator[str]:
    """Yield the keys of a bucket."""
    with aws_faults("the documents bucket"):
        for page in client.get_paginator("list_objects_v2").paginate(Bucket=bucket):
            yield from (each["Key"] for each in page.get("Contents", []))


def restore_deployment(outputs: Mapping[str, Any]) -> Restoration:
    """Reconcile a deployment's table and index with its bucket, with an operator's credentials.

    Raises InvalidInput during an ingestion, Misconfigured without credentials.
    """
    region = outputs["ingestion_machine_arn"].split(":")[3]
    client, bucket = partial(boto3.client, region_name=region), outputs["bucket"]
    arns = (outputs[f"{machine}_machine_arn"] for machine in ("intake", "ingestion", "reindex"))
    machines = DeployedMachines(client("stepfunctions"), bucket, *arns)
    machines.check_quiet()
    indexed = passages_of(connect(outputs["collection_endpoint"], region, 30), outputs["index_name"])
    table = RestorableTable(client("dynamodb"), outputs["tables"]["documents"])
    return restore_index(bucket, keys_in(client("s3"), bucket), indexed, table, machines)
