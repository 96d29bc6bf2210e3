"""The two state machines and the table of answers, as the API uses them."""

import json
import time
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError, ReadTimeoutError

from selfrag.adapters.faults import aws_faults, code_of
from selfrag.domain.errors import TemporarilyUnavailable
from selfrag.ports.executions import Snapshot

SERVICE = "the workflow"
_HISTORY_PAGE = 1000


@dataclass(frozen=True)
class Machines:
    """Where questions run (ARNs, of versions where there are some), and the table that their answers are kept in."""

    express: str
    standard: str
    answers_table: str


class StatesExecutions:
    """Starts questions and looks at them."""

    def __init__(self, states: Any, dynamodb: Any, machines: Machines) -> None:
        self._states, self._dynamodb, self._machines = states, dynamodb, machines

    def answer(self, question_id: str, payload: dict[str, Any]) -> dict[str, Any] | None:
        """Run a question on the Express machine to its end; None when the connection did not last that long."""
        with aws_faults(SERVICE):
            try:
                ended = self._states.start_sync_execution(
                    stateMachineArn=self._machines.express, name=question_id, input=json.dumps(payload)
                )
            except ReadTimeoutError:
                return None
        if ended["status"] != "SUCCEEDED":
            raise TemporarilyUnavailable(
                f"The execution of question {question_id} gave no response; the workflow's logs have it by this id."
            )
        return dict(json.loads(ended["output"]))

    def start(self, question_id: str, payload: dict[str, Any]) -> None:
        """Start a question on the Standard machine."""
        with aws_faults(SERVICE):
            self._states.start_execution(
                stateMachineArn=self._machines.standard, name=question_id, input=json.dumps(payload)
            )

    def remembered(self, question_id: str, collections: Collection[str]) -> dict[str, Any] | None:
        """The response of a finished question, whichever machine ran; None when there is none of the caller's.

        An answer belongs to the collections that it was asked under: a caller must be allowed all of them.
        """
        with aws_faults("the table of answers"):
            # A follow-up may come in the moment in which the answer was written.
            found = self._dynamodb.get_item(
                TableName=self._machines.answers_table, Key={"id": {"S": question_id}}, ConsistentRead=True
            )
        item = found.get("Item")
        # DynamoDB deletes expired items within days, not at the moment: the reader has to compare.
        if item is None or int(item["expires_at"]["N"]) <= time.time():
            return None
        if not _all_of([name["S"] for name in item["collections"]["L"]], collections):
            return None
        return dict(json.loads(item["response"]["S"]))

    def snapshot(self, question_id: str, collections: Collection[str]) -> Snapshot | None:
        """How far the Standard machine is with a question; None when it knows no such question of the caller's."""
        arn = _execution_arn(self._machines.standard, question_id)
        with aws_faults(SERVICE):
            try:
                state = self._states.describe_execution(executionArn=arn)
                if not _all_of(_asked_under(state.get("input", "{}")), collections):
                    return None
                events = self._history(arn)
            except ClientError as error:
                if code_of(error) == "ExecutionDoesNotExist":
                    return None
                raise
        output = json.loads(state["output"]) if state.get("output") else None
        return Snapshot(state["status"], output, events)

    def _history(self, arn: str) -> list[dict[str, Any]]:
        pages = self._states.get_paginator("get_execution_history").paginate(
            executionArn=arn, PaginationConfig={"PageSize": _HISTORY_PAGE}
        )
        return [event for page in pages for event in page["events"]]


def _execution_arn(machine: str, name: str) -> str:
    """The ARN of an execution: it names no version of the machine, so a question of another release is found, too."""
    here, _, named = machine.partition(":stateMachine:")
    return f"{here}:execution:{named.partition(':')[0]}:{name}"


def _asked_under(given: str) -> list[str]:
    # An execution that an operator started by hand may name one collection as it is, or none.
    named = json.loads(given).get("collections", [])
    return named if isinstance(named, list) else [named]


def _all_of(asked: Collection[str], allowed: Collection[str]) -> bool:
    # What was asked under no collection is nobody's.
    return bool(asked) and set(asked) <= set(allowed)
