"""Tables whose items are on disk: what one process writes, every other one sees, also after all of them are gone."""

import multiprocessing
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError

from cli.local.aws.interpreter import local_aws
from cli.local.aws.kept import kept_tables
from cli.local.aws.resources import TABLES, make
from cli.local.home import connect

TABLE = TABLES["answers_table"][0]
FOREVER = {"N": "99999999999"}


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SELFRAG_HOME", str(tmp_path / "state"))


@pytest.fixture
def client() -> Iterator[Any]:
    with local_aws({}):
        make({})
        with kept_tables():
            yield boto3.client("dynamodb")


def item(name: str, **more: Any) -> dict[str, Any]:
    return {"id": {"S": name}, "expires_at": FOREVER, **more}


def put_in_another_process(name: str, barrier: Any) -> None:
    """Write an item unless it is there, at the same moment as the others."""
    with local_aws({}):
        make({})
        with kept_tables():
            barrier.wait(60)
            try:
                boto3.client("dynamodb").put_item(
                    TableName=TABLE, Item=item(name), ConditionExpression="attribute_not_exists(id)"
                )
            except ClientError:
                raise SystemExit(3) from None


def test_what_is_written_is_there_for_the_next_process_with_all_its_types() -> None:
    written = item(
        "a", text={"S": "日本 'x'"}, many={"L": [{"S": "b"}, {"M": {"n": {"N": "1.50"}}}]}, no={"BOOL": False}
    )
    for expected in (None, written):
        with local_aws({}):
            make({})
            with kept_tables():
                client = boto3.client("dynamodb")
                assert client.get_item(TableName=TABLE, Key={"id": {"S": "a"}}).get("Item") == expected
                client.put_item(TableName=TABLE, Item=written)


def test_an_update_a_deletion_and_a_scan_are_those_of_a_table(client: Any) -> None:
    for name in "ab":
        client.put_item(TableName=TABLE, Item=item(name))
    update = {"UpdateExpression": "SET n = :n", "ExpressionAttributeValues": {":n": {"N": "2"}}}
    client.update_item(TableName=TABLE, Key={"id": {"S": "a"}}, **update)
    client.update_item(TableName=TABLE, Key={"id": {"S": "new"}}, **update)
    client.delete_item(TableName=TABLE, Key={"id": {"S": "b"}})
    found = client.scan(TableName=TABLE)["Items"]
    assert sorted(found, key=lambda each: each["id"]["S"]) == [
        item("a", n={"N": "2"}),
        {"id": {"S": "new"}, "n": {"N": "2"}},
    ]


def test_a_condition_that_does_not_hold_leaves_the_item_as_it_was(client: Any) -> None:
    client.put_item(TableName=TABLE, Item=item("a", answer={"S": "kept"}))
    with pytest.raises(ClientError, match="ConditionalCheckFailed"):
        client.put_item(TableName=TABLE, Item=item("a"), ConditionExpression="attribute_not_exists(id)")
    assert client.get_item(TableName=TABLE, Key={"id": {"S": "a"}})["Item"]["answer"] == {"S": "kept"}


def test_of_several_processes_that_write_an_item_unless_it_is_there_one_does() -> None:
    spawn = multiprocessing.get_context("spawn")
    barrier = spawn.Barrier(2)
    processes = [spawn.Process(target=put_in_another_process, args=("only", barrier)) for _ in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
    assert sorted(process.exitcode or 0 for process in processes) == [0, 3]


def test_of_several_threads_that_write_an_item_unless_it_is_there_one_does(client: Any) -> None:
    barrier = threading.Barrier(8)

    def put(_: int) -> bool:
        barrier.wait(30)
        try:
            client.put_item(TableName=TABLE, Item=item("only"), ConditionExpression="attribute_not_exists(id)")
        except ClientError:
            return False
        return True

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(put, range(8))) == 1


def test_what_has_expired_is_gone_with_the_next_start() -> None:
    for count in (1, 0):
        with local_aws({}):
            make({})
            with kept_tables():
                client = boto3.client("dynamodb")
                assert client.scan(TableName=TABLE)["Count"] == 0
                if count:
                    client.put_item(TableName=TABLE, Item=item("old") | {"expires_at": {"N": "1"}})


def test_a_file_that_cannot_be_used_is_a_table_that_fails(client: Any) -> None:
    with connect("DROP TABLE kept_items"):
        pass
    for request in (
        lambda: client.put_item(TableName=TABLE, Item=item("a")),
        lambda: client.get_item(TableName=TABLE, Key={"id": {"S": "a"}}),
    ):
        with pytest.raises(ClientError, match="InternalServerError"):
            request()
