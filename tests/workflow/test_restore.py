"""Promises about `selfrag restore --index`: afterwards the index matches the bucket, without duplicates."""

import json
import random
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from itertools import count
from typing import Any

import boto3
import pytest

from selfrag.adapters.opensearch.collection import connect
from selfrag.domain.errors import InvalidInput, Misconfigured, TemporarilyUnavailable
from selfrag_cli.deployment import restore
from selfrag_cli.deployment.restore import (
    DeployedMachines,
    RestorableTable,
    Restoration,
    keys_in,
    passages_of,
    restore_index,
)
from tests.support.aws.resources import DOCUMENTS_BUCKET, DOCUMENTS_TABLE
from tests.support.doubles.opensearch_index import Document
from tests.support.grids import some_of
from tests.support.ingesting import Ingestion, holds, ingestion

INDEX = "passages"


class Machines:
    """The machine of the stack; the reindexing takes each object of the bucket. It can break off."""

    def __init__(self, running: Ingestion) -> None:
        self._running, self.left = running, 10_000

    def ingest(self, key: str) -> None:
        self.left -= 1
        if self.left < 0:
            raise InterruptedError
        assert self._running.ingest(key).status == "SUCCEEDED"

    def reindex(self) -> None:
        for key in keys():
            self.ingest(key)


def keys() -> list[str]:
    return list(keys_in(boto3.client("s3"), DOCUMENTS_BUCKET))


def table() -> RestorableTable:
    return RestorableTable(boto3.client("dynamodb"), DOCUMENTS_TABLE)


def items() -> list[dict[str, Any]]:
    pages = boto3.client("dynamodb").get_paginator("scan").paginate(TableName=DOCUMENTS_TABLE)
    return [deepcopy(item) for page in pages for item in page["Items"]]


def go_back_to(stored: list[dict[str, Any]]) -> None:
    client = boto3.client("dynamodb")
    for item in items():
        client.delete_item(TableName=DOCUMENTS_TABLE, Key={"id": item["id"], "part": item["part"]})
    for item in stored:
        client.put_item(TableName=DOCUMENTS_TABLE, Item=item)


def restored(running: Ingestion, machines: Machines | None = None) -> Restoration:
    client = connect(running.collection.url, "us-east-1", 5)
    return restore_index(DOCUMENTS_BUCKET, keys(), passages_of(client, INDEX), table(), machines or Machines(running))


def text(name: str, version: int) -> bytes:
    return f"# {name}\n\nThe limit of {name} is {version} euros.\n".encode()


def put(running: Ingestion, name: str, version: int) -> None:
    running.put(f"handbook/{name}.md", text(name, version))
    running.done(f"handbook/{name}.md")


def sentence(name: str, version: int) -> str:
    return f"The limit of {name} is {version} euros."


# The items of the table, the objects of the bucket, and the documents of the index.
Stored = tuple[list[dict[str, Any]], dict[str, bytes], list[Document]]


@pytest.fixture(scope="module")
def deployment() -> Iterator[tuple[Ingestion, Stored]]:
    """Yield a deployment whose table went back one hour: 5 of 10 documents changed since, 5 came, 5 are deleted."""
    with ingestion() as running:
        for number in range(10):
            put(running, f"old{number}", 1)
        before = items()
        for number in range(5):
            put(running, f"old{number}", 2)
            put(running, f"new{number}", 1)
        go_back_to(before)
        for name in ("old0", "old1", "old9", "new0", "new1"):
            running.delete(f"handbook/{name}.md")
        bucket = boto3.resource("s3").Bucket(DOCUMENTS_BUCKET)
        objects = {stored.key: stored.get()["Body"].read() for stored in bucket.objects.all()}
        yield running, (items(), objects, deepcopy(running.collection.indices[INDEX].documents))


def become(running: Ingestion, stored: Stored) -> Ingestion:
    """Have the deployment hold this, and nothing else."""
    table_items, objects, documents = stored
    go_back_to(table_items)
    boto3.resource("s3").Bucket(DOCUMENTS_BUCKET).objects.all().delete()
    for key, content in objects.items():
        running.put(key, content)
    running.collection.indices[INDEX].documents[:] = deepcopy(documents)
    return running


@pytest.fixture
def running(deployment: tuple[Ingestion, Stored]) -> Ingestion:
    """Return the deployment without a document."""
    return become(deployment[0], ([], {}, []))


@pytest.fixture
def hour(deployment: tuple[Ingestion, Stored]) -> Ingestion:
    """Return the deployment as it was before the tests."""
    return become(*deployment)


LEFT = [
    *((f"old{n}", 2) for n in (2, 3, 4)),
    *((f"old{n}", 1) for n in (5, 6, 7, 8)),
    *((f"new{n}", 1) for n in (2, 3, 4)),
]


def test_restored_index_matches_the_bucket_without_duplicates(hour: Ingestion) -> None:
    # Without the restore, passages of documents that the table lacks remain.
    assert sum(hour.texts().values()) == 15
    done = restored(hour)
    holds(hour, *(sentence(name, version) for name, version in LEFT))
    assert len(done.unknown) == 10
    assert sorted(done.gone) == [f"handbook/{name}.md" for name in ("new0", "new1", "old0", "old1", "old9")]
    assert done.passages == 15
    assert restored(hour) == Restoration([], done.gone, 10)


@pytest.mark.parametrize("left", some_of(range(15), 0, 7, 14))
def test_interrupted_restore_is_resumable(hour: Ingestion, left: int) -> None:
    machines = Machines(hour)
    machines.left = left
    with pytest.raises(InterruptedError):
        restored(hour, machines)
    restored(hour)
    holds(hour, *(sentence(name, version) for name, version in LEFT))


def dying_at(call: int, calls: Iterator[int], method: Callable[..., None]) -> Callable[..., None]:
    def dying(*args: Any) -> None:
        if next(calls) == call:
            raise InterruptedError
        method(*args)

    return dying


@pytest.mark.parametrize("left", some_of(range(31), 0, 11, 21, 30))
def test_restore_interrupted_while_writing_table_is_run_again(
    hour: Ingestion, monkeypatch: pytest.MonkeyPatch, left: int
) -> None:
    # The index has lost some documents that the table has, and the bucket has not changed.
    for document in hour.collection.indices[INDEX].documents[5:8]:
        document.until = 0
    calls = count()
    with monkeypatch.context() as patched:
        for name in ("mark_stale", "put", "forget"):
            patched.setattr(RestorableTable, name, dying_at(left, calls, getattr(RestorableTable, name)))
        with pytest.raises(InterruptedError):
            restored(hour)
    restored(hour)
    holds(hour, *(sentence(name, version) for name, version in LEFT))


def test_a_table_that_is_lost_is_made_again(hour: Ingestion) -> None:
    go_back_to([])
    restored(hour)
    holds(hour, *(sentence(name, version) for name, version in LEFT))


def test_table_naming_passages_missing_from_index_restores_them(hour: Ingestion) -> None:
    for document in hour.collection.indices[INDEX].documents:
        document.until = 0
    restored(hour)
    holds(hour, *(sentence(name, version) for name, version in LEFT))


def test_a_claim_of_an_execution_that_is_long_over_hinders_nothing(hour: Ingestion) -> None:
    client = boto3.client("dynamodb")
    for item in items():
        if item["part"]["S"] == "document":
            client.update_item(
                TableName=DOCUMENTS_TABLE,
                Key={"id": item["id"], "part": item["part"]},
                UpdateExpression="SET lease_owner = :who, lease_until = :until",
                ExpressionAttributeValues={":who": {"S": "gone"}, ":until": {"N": "99999999999"}},
            )
    restored(hour)
    holds(hour, *(sentence(name, version) for name, version in LEFT))


@pytest.mark.parametrize("page", [2, 5])
def test_no_passage_is_missed_between_two_pages(running: Ingestion, monkeypatch: pytest.MonkeyPatch, page: int) -> None:
    monkeypatch.setattr(restore, "PAGE", page + 2)
    dice = random.Random(page)
    for number in range(7):
        put(running, f"n{number}", 1)
    index = running.collection.indices[INDEX]
    for document in dice.sample(index.documents, 3):
        twin = deepcopy(document)
        twin.id += "-twin"
        index.store(twin)
    listed = [each.service_id for each in passages_of(connect(running.collection.url, "us-east-1", 5), INDEX)]
    assert sorted(listed) == running.indexed_ids()
    restored(running)
    holds(running, *(sentence(f"n{number}", 1) for number in range(7)))


def test_copies_that_fill_a_page_are_an_error_and_no_loss(running: Ingestion, monkeypatch: pytest.MonkeyPatch) -> None:
    put(running, "n", 1)
    index = running.collection.indices[INDEX]
    for number in range(4):
        twin = deepcopy(index.documents[0])
        twin.id += str(number)
        index.store(twin)
    monkeypatch.setattr(restore, "PAGE", 4)
    with pytest.raises(Misconfigured, match="take another index"):
        restored(running)


class Steps:
    """A client of Step Functions: the machines that run, and how executions end."""

    def __init__(self, *running: str, statuses: Sequence[str] = ("RUNNING", "SUCCEEDED")) -> None:
        self._running, self._statuses, self.started = running, list(statuses), list[dict[str, str]]()

    def list_executions(self, stateMachineArn: str, **_: Any) -> dict[str, Any]:
        return {"executions": [name for name in self._running if stateMachineArn.endswith(name)]}

    def start_execution(self, **asked: str) -> dict[str, str]:
        self.started.append(asked)
        return {"executionArn": "e"}

    def describe_execution(self, executionArn: str) -> dict[str, str]:
        return {"status": self._statuses.pop(0)}


def machines_of(client: Steps) -> DeployedMachines:
    arns = (f"arn:aws:states:us-east-1:1:stateMachine:rag-{name}:live" for name in ("intake", "ingestion", "reindex"))
    return DeployedMachines(client, "b", *arns, pause=lambda seconds: None)


@pytest.mark.parametrize("running", ["rag-intake", "rag-ingestion"])
def test_while_documents_are_ingested_or_wait_for_it_nothing_is_restored(running: str) -> None:
    machines_of(Steps()).check_quiet()
    with pytest.raises(InvalidInput, match="ingest_on_upload = false"):
        machines_of(Steps(running)).check_quiet()


def test_an_ingestion_is_waited_for_and_one_that_fails_is_named() -> None:
    steps = Steps()
    machines_of(steps).ingest("handbook/a.md")
    assert json.loads(steps.started[0]["input"]) == {"bucket": "b", "key": "handbook/a.md"}
    with pytest.raises(TemporarilyUnavailable, match="ended as FAILED"):
        machines_of(Steps(statuses=["FAILED"])).reindex()
