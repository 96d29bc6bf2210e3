"""The state machines and the table of answers, for the API."""

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

from botocore.exceptions import ClientError, ReadTimeoutError
from typing_extensions import override

from selfrag.adapters.faults import aws_faults, code_of
from selfrag.adapters.items import serialize
from selfrag.domain.answers import KEPT_SECONDS
from selfrag.domain.errors import TemporarilyUnavailable
from selfrag.ports.executions import Executions, Snapshot, StoredQuestion
from selfrag.runtime.metrics import count_event
from selfrag.runtime.observability import logger
from selfrag.runtime.settings import ApiSettings

SERVICE = "the workflow"
_ANSWERS = "the table of answers"
# The second is the code for a machine without a valid name.
_NO_EXECUTION = {"ExecutionDoesNotExist", "InvalidArn"}
_HISTORY_PAGE = 1000
# StartSyncExecution's codes for an ARN that it does not take; AWS does not document whether it takes a version's.
NO_MACHINE = {"InvalidArn", "StateMachineDoesNotExist", "ValidationException"}
# Data that AWS offers no call to delete.
RETAINED = (
    "Step Functions keeps the history of a question that came with POST /v1/questions for 90 days.",
    "Backups of the tables can be restored for 35 days.",
    "Logs keep the question's id and a hash of its text for as long as the operator chose.",
    "A follow-up keeps the turns before it until it is deleted, too.",
)
UNVERSIONED = "The machine was started without its version, which Step Functions refused: it may be of another release."


class StatesExecutions(Executions):
    """Access to questions: starting one, waiting for it, and looking at it.

    The machines of the settings are ARNs, of versions where there are some.
    """

    def __init__(self, states: Any, dynamodb: Any, config: ApiSettings) -> None:
        self._states, self._dynamodb, self._config = states, dynamodb, config
        self._express = config.express_machine_arn

    def answer(self, question_id: str, payload: Mapping[str, object]) -> dict[str, Any] | None:
        """Run a question on the Express machine to its end; None if the connection timed out before.

        A refused version is started without it, from then on; the response warns of that, and a metric counts it.
        """
        with aws_faults(SERVICE):
            try:
                ended = self._run(question_id, json.dumps(payload))
            except ReadTimeoutError:
                return None
        if ended["status"] != "SUCCEEDED":
            raise TemporarilyUnavailable(
                f"The execution of question {question_id} gave no response; the workflow's logs have it by this id."
            )
        response = dict(json.loads(ended["output"]))
        if self._express != self._config.express_machine_arn:
            count_event("ask", "UnversionedAsks")
            response["usage"]["warnings"].append(UNVERSIONED)
        return response

    def _run(self, question_id: str, question: str) -> Any:
        try:
            return self._states.start_sync_execution(stateMachineArn=self._express, name=question_id, input=question)
        except ClientError as error:
            machine = strip_version(self._express)
            if code_of(error) not in NO_MACHINE or machine == self._express:
                raise
            logger.warning("machine started without its version", extra={"error": code_of(error)})
        ended = self._states.start_sync_execution(stateMachineArn=machine, name=question_id, input=question)
        self._express = machine
        return ended

    @override
    def start(self, question_id: str, payload: Mapping[str, object]) -> None:
        with aws_faults(SERVICE):
            self._states.start_execution(
                stateMachineArn=self._config.standard_machine_arn, name=question_id, input=json.dumps(payload)
            )

    @override
    def expect(self, question_id: str, payload: Mapping[str, Any], due: float) -> None:
        fields = {name: payload[name] for name in ("question", "collections", "request")}
        item = serialize({"id": question_id, **fields, "due_at": int(due), "expires_at": int(due) + KEPT_SECONDS})
        with aws_faults(_ANSWERS):
            try:
                self._dynamodb.put_item(
                    TableName=self._config.answers_table, Item=item, ConditionExpression="attribute_not_exists(id)"
                )
            except ClientError as error:
                if code_of(error) != "ConditionalCheckFailedException":
                    raise

    @override
    def read_stored(self, question_id: str) -> StoredQuestion | None:
        with aws_faults(_ANSWERS):
            # A caller who just got an id, or a response, must find it.
            reply = self._dynamodb.get_item(
                TableName=self._config.answers_table, Key={"id": {"S": question_id}}, ConsistentRead=True
            )
        item = reply.get("Item")
        # DynamoDB deletes expired items within days, not at the moment: the reader has to compare.
        if item is None or int(item["expires_at"]["N"]) <= time.time():
            return None
        asked_under = tuple(name["S"] for name in item["collections"]["L"])
        response = json.loads(item["response"]["S"]) if "response" in item else None
        due = float(item["due_at"]["N"]) if "due_at" in item else 0.0
        texts = (item.get(name, {}).get("S", "") for name in ("question", "previous", "request"))
        return StoredQuestion(response, due, asked_under, *texts)

    @override
    def delete(self, question_id: str) -> Sequence[str]:
        with aws_faults(_ANSWERS):
            self._dynamodb.delete_item(TableName=self._config.answers_table, Key={"id": {"S": question_id}})
        return RETAINED

    @override
    def snapshot(self, question_id: str) -> Snapshot | None:
        with aws_faults(SERVICE):
            try:
                state = self._states.describe_execution(executionArn=self._execution(question_id))
            except ClientError as error:
                if code_of(error) in _NO_EXECUTION:
                    return None
                raise
        return Snapshot(state["status"], json.loads(state["output"]) if state.get("output") else None)

    @override
    def history(self, question_id: str) -> list[dict[str, Any]]:
        pages = self._states.get_paginator("get_execution_history").paginate(
            executionArn=self._execution(question_id), PaginationConfig={"PageSize": _HISTORY_PAGE}
        )
        with aws_faults(SERVICE):
            try:
                return [event for page in pages for event in page["events"]]
            except ClientError as error:
                if code_of(error) in _NO_EXECUTION:
                    return []
                raise

    def _execution(self, question_id: str) -> str:
        """Return the ARN of an execution; it names no version of the machine, so other releases' are found, too."""
        here, _, named = strip_version(self._config.standard_machine_arn).partition(":stateMachine:")
        return f"{here}:execution:{named}:{question_id}"


def strip_version(machine: str) -> str:
    """Return the ARN of a machine without its version."""
    here, kind, named = machine.partition(":stateMachine:")
    return here + kind + named.partition(":")[0]
