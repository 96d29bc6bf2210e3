"""The intake of documents by its definition: a place before any function, whatever comes and whatever dies."""

import json
import re
import threading
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws

from selfrag.adapters.manifest import LEASE_SECONDS, DynamoManifest
from selfrag_cli.local.definitions import INTAKE, placeholders
from selfrag_cli.local.runner.failures import Failure
from selfrag_cli.local.runner.machine import Execution, Machine
from tests.support.aws.resources import DOCUMENTS_TABLE, make
from tests.support.command import ROOT
from tests.support.definition import INGESTION_MACHINE, INTAKE_MACHINE

ARN = "arn:aws:states:us-east-1:123456789012:stateMachine:selfrag-intake"
UPLOADED = {"bucket": {"name": "b"}, "object": {"key": 'c/a "b".md'}, "reason": "PutObject"}
DELETED = {**UPLOADED, "reason": "DeleteObject", "deletion-type": "Delete Marker Created"}
READY = {"action": "read", "unfinished": False}
FAR, PAST = "99999999999", "1"


class Intake:
    """Executions of the intake over a table; `ends` are what executions of the ingestion give or raise, in turn."""

    def __init__(self) -> None:
        make()
        self.table = boto3.client("dynamodb")
        self.ends: list[Any] = []
        self.started: list[dict[str, Any]] = []
        self.held_then: list[set[str]] = []
        self.pauses: list[float] = []
        self.while_waiting = lambda: None
        self._one = threading.Lock()

    def hold(self, place: str, until: str, collection: str = "c", following: str = "") -> None:
        """Let another execution have a place, for a document of a collection; `following` is the next one's."""
        item = {"id": {"S": f"place/{place}"}, "part": {"S": "place"}, "lease_owner": {"S": "another"}}
        item |= {"lease_until": {"N": until}, "lease_collection": {"S": collection}}
        if following:
            item |= {"next_owner": {"S": following}, "next_until": {"N": FAR}}
        self.table.put_item(TableName=DOCUMENTS_TABLE, Item=item)

    def free(self, place: str) -> None:
        """Take it away again."""
        key = {"id": {"S": f"place/{place}"}, "part": {"S": "place"}}
        self.table.delete_item(TableName=DOCUMENTS_TABLE, Key=key)

    def release(self, place: str) -> None:
        """End its lease, as FreePlace does."""
        key = {"id": {"S": f"place/{place}"}, "part": {"S": "place"}}
        ended = "REMOVE lease_owner, lease_until"
        self.table.update_item(TableName=DOCUMENTS_TABLE, Key=key, UpdateExpression=ended)

    def held(self) -> set[str]:
        """Return the places that are held."""
        items = self.table.scan(TableName=DOCUMENTS_TABLE)["Items"]
        return {item["id"]["S"].removeprefix("place/") for item in items if "lease_owner" in item}

    def run(self, event: dict[str, Any]) -> Execution:
        """Run one execution to its end."""
        prefix = "arn:aws:states:::"
        services = {
            f"{prefix}dynamodb:updateItem": self._update,
            f"{prefix}states:startExecution.sync:2": self._ingest,
        }
        definition = json.loads(json.dumps(INTAKE_MACHINE).replace("${documents_table}", DOCUMENTS_TABLE))
        return Machine(ARN, definition, services, self._pause).start("mine", event).wait()

    def _update(self, arguments: dict[str, Any]) -> Any:
        with self._one:
            try:
                return self.table.update_item(**arguments)
            except ClientError as error:
                raise Failure(f"DynamoDB.{error.response['Error']['Code']}", "", "TaskFailed") from None

    def _ingest(self, arguments: dict[str, Any]) -> Any:
        self.started.append(arguments["Input"])
        self.held_then.append(self.held())
        end = self.ends.pop(0) if self.ends else READY
        if isinstance(end, Exception):
            raise end
        return {"Output": end}

    def _pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.while_waiting()


@pytest.fixture
def intake() -> Iterator[Intake]:
    with mock_aws():
        yield Intake()


def test_an_event_runs_the_ingestion_of_its_object_at_once_in_a_place_that_is_free_again_after_it(
    intake: Intake,
) -> None:
    assert intake.run(UPLOADED).output == {"bucket": "b", "key": 'c/a "b".md', "action": "read"}
    assert intake.started == [{"bucket": "b", "key": 'c/a "b".md'}]
    assert [len(held) for held in intake.held_then] == [1]
    assert (intake.held(), intake.pauses) == (set(), [])


def test_without_a_place_nothing_is_started_and_the_wait_grows_up_to_five_minutes(intake: Intake) -> None:
    intake.hold("upload/0", FAR)
    intake.hold("upload/1", FAR)

    def wait() -> None:
        assert intake.started == []
        if len(intake.pauses) == 40:
            intake.free("upload/1")

    intake.while_waiting = wait
    assert intake.run(UPLOADED).output
    assert intake.held_then == [{"upload/0", "upload/1"}], "the place of another is not freed"
    assert 2 <= intake.pauses[0] <= 5
    assert all(150 <= seconds <= 300 for seconds in intake.pauses[15:])


def test_a_document_of_another_collection_is_the_next_one_and_looks_every_few_seconds(intake: Intake) -> None:
    for place in ("upload/0", "upload/1"):
        intake.hold(place, FAR, collection="a")

    def wait() -> None:
        assert intake.started == []
        if len(intake.pauses) == 30:
            for place in ("upload/0", "upload/1"):
                intake.release(place)

    intake.while_waiting = wait
    assert intake.run(UPLOADED).output
    assert len(intake.pauses) == 30
    assert max(intake.pauses) <= 20
    assert intake.held() == set()


def test_a_place_that_has_become_free_is_left_to_the_next_one(intake: Intake) -> None:
    for place in ("upload/0", "upload/1"):
        intake.hold(place, FAR, collection="a", following="of another collection")
        intake.release(place)

    def wait() -> None:
        assert intake.started == []
        if len(intake.pauses) == 3:
            intake.free("upload/0")

    intake.while_waiting = wait
    assert intake.run(UPLOADED).output
    assert intake.held_then == [{"upload/0"}]


def test_a_next_one_that_died_keeps_nobody_out(intake: Intake) -> None:
    intake.hold("deletion/0", FAR, collection="a", following="a dead one")
    intake.release("deletion/0")
    key = {"id": {"S": "place/deletion/0"}, "part": {"S": "place"}}
    ended = {
        "Key": key,
        "UpdateExpression": "SET next_until = :past",
        "ExpressionAttributeValues": {":past": {"N": PAST}},
    }
    intake.table.update_item(TableName=DOCUMENTS_TABLE, **ended)
    assert intake.run(DELETED).output
    assert intake.pauses == []


def test_a_deletion_waits_for_no_upload(intake: Intake) -> None:
    intake.hold("upload/0", FAR)
    intake.hold("upload/1", FAR)
    assert intake.run(DELETED).output
    assert (intake.held_then, intake.pauses) == ([{"upload/0", "upload/1", "deletion/0"}], [])


def test_the_place_of_an_execution_that_died_is_taken_when_its_lease_has_ended(intake: Intake) -> None:
    intake.hold("deletion/0", PAST)
    assert intake.run(DELETED).output
    assert intake.pauses == []
    until = INTAKE_MACHINE["States"]["TakePlace"]["Arguments"]["ExpressionAttributeValues"][":until"]["N"]
    (lease,) = map(int, re.findall(r"\+ (\d+)\)", until))
    starting = INTAKE_MACHINE["States"]["StartIngestion"]
    (retrier,) = starting["Retry"]
    in_starts = retrier["MaxAttempts"] * retrier["MaxDelaySeconds"]
    assert lease >= starting["TimeoutSeconds"] + in_starts > INGESTION_MACHINE["TimeoutSeconds"]


def test_a_deletion_whose_ingestion_fails_is_tried_until_the_claim_of_a_dead_one_has_ended(intake: Intake) -> None:
    timed_out = Failure("States.TaskFailed", "NotClaimed", "TaskFailed")
    intake.ends = [
        timed_out,
        *[{"action": "busy", "unfinished": False}] * 23,
        {"action": "remove", "unfinished": False},
    ]
    ended = intake.run(DELETED)
    assert ended.output
    assert ended.output["action"] == "remove"
    assert len(intake.started) == 25
    assert intake.held() == set()
    # At the least; by chance it is up to twice as long.
    assert sum(intake.pauses) >= 150 * 24
    assert LEASE_SECONDS < 150 * 25


def test_an_ingestion_that_fails_for_over_an_hour_fails_the_intake_for_the_alarm(intake: Intake) -> None:
    intake.ends = [Failure("States.TaskFailed", "NotClaimed", "TaskFailed")] * 30
    ended = intake.run(UPLOADED)
    assert ended.error == 'NotIngested: c/a "b".md: States.TaskFailed NotClaimed'
    assert len(intake.started) == 26
    assert intake.held() == set()


def test_a_document_that_another_execution_has_is_left_to_it(intake: Intake) -> None:
    # An ingestion of the release before says nothing of being unfinished.
    intake.ends = [{"action": "busy"}]
    assert intake.run(UPLOADED).output
    assert len(intake.started) == 1


def test_a_document_that_is_too_large_for_an_hour_goes_on_until_it_is_ready(intake: Intake) -> None:
    intake.ends = [{"action": "read", "unfinished": True}] * 30
    assert intake.run(UPLOADED).output
    assert len(intake.started) == 31


def test_a_place_is_no_document(intake: Intake) -> None:
    intake.hold("upload/0", FAR)
    assert DynamoManifest(intake.table, DOCUMENTS_TABLE).read("place/upload/0") is None


def test_terraform_fills_in_all_placeholders_of_the_definition() -> None:
    filled = (ROOT / "infra" / "machines.tf").read_text(encoding="utf-8")
    named = placeholders(INTAKE)
    assert named == {"documents_table", "ingestion_machine", "ingestion_places", "deletion_places"}
    assert all(f"{name} " in filled for name in named)
