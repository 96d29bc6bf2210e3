"""Step Functions for botocore's clients of this process: executions of the laptop's runner."""

import json
import threading
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import boto3
from botocore.exceptions import ClientError

from selfrag_cli.local.runner.failures import Failure
from selfrag_cli.local.runner.lane import Service
from selfrag_cli.local.runner.machine import RUNNING, SUCCEEDED, Execution, Machine

Json = dict[str, Any]


class States:
    """The state machines of a stack by ARN, and their executions by ARN."""

    def __init__(self, machines: Mapping[str, Machine]) -> None:
        self._machines = machines
        self._executions: dict[str, tuple[Execution, str, datetime]] = {}
        self._lock = threading.Lock()

    def start(self, machine: str, name: str, payload: Mapping[str, Any]) -> Execution:
        """Start an execution."""
        with self._lock:
            execution = self._machines[machine].start(name, payload)
            self._executions[_execution_arn(machine, name)] = execution, machine, datetime.now(UTC)
        return execution

    def settle(self) -> None:
        """Wait for all executions, and forget them."""
        for execution, *_ in list(self._executions.values()):
            execution.wait()
        self._executions.clear()

    def watch(self, name: str, seen: int, seconds: float) -> int | None:
        """Return the number of events of an execution as soon as it exceeds `seen`, or at the timeout.

        None if there is no such execution, or it has ended without further events.
        """
        executions = (execution for execution, *_ in list(self._executions.values()) if execution.id == name)
        execution = next(executions, None)
        return execution.watch(seen, seconds) if execution else None

    def call(self, client: Any, operation: str, parameters: Json) -> Json:
        """Return the reply to an operation of botocore; raises the client's exceptions."""
        answers: dict[str, Callable[[Json], Json]] = {
            "StartExecution": self._start,
            "StartSyncExecution": self._start_sync,
            "DescribeExecution": self._describe,
            "GetExecutionHistory": self._history,
            "ListExecutions": self._list,
        }
        try:
            return answers[operation](parameters)
        except KeyError as error:
            kind = "StateMachine" if "stateMachineArn" in parameters else "Execution"
            reply = {"Error": {"Code": f"{kind}DoesNotExist", "Message": str(error)}}
            raise client.exceptions.from_code(reply["Error"]["Code"])(reply, operation) from None

    def _start(self, parameters: Json) -> Json:
        machine, name = parameters["stateMachineArn"], parameters["name"]
        self.start(machine, name, json.loads(parameters["input"]))
        return {"executionArn": _execution_arn(machine, name), "startDate": datetime.now(UTC)}

    def _start_sync(self, parameters: Json) -> Json:
        arn = self._start(parameters)["executionArn"]
        self._executions[arn][0].wait()
        return self._describe({"executionArn": arn})

    def _describe(self, parameters: Json) -> Json:
        arn = parameters["executionArn"]
        execution, machine, started = self._executions[arn]
        about = {"executionArn": arn, "stateMachineArn": machine, "name": execution.id, "startDate": started}
        error, _, cause = execution.error.partition(": ")
        end: Json = {} if execution.status == RUNNING else {"error": error, "cause": cause}
        if execution.status == SUCCEEDED:
            end = {"output": json.dumps(execution.output)}
        return {**about, "status": execution.status, **end}

    def _history(self, parameters: Json) -> Json:
        events = self._executions[parameters["executionArn"]][0].history
        return {"events": [{**event, "timestamp": datetime.fromisoformat(event["timestamp"])} for event in events]}

    def _list(self, parameters: Json) -> Json:
        every = [self._describe({"executionArn": arn}) for arn in reversed(list(self._executions))]
        machine = parameters["stateMachineArn"]
        return {"executions": [execution for execution in every if execution["stateMachineArn"] == machine]}


class Answers:
    """A table of answers in memory."""

    def __init__(self) -> None:
        self.items: dict[str, Any] = {}

    def get_item(self, table: str, key: Json) -> Json | None:
        return self.items.get(key["id"]["S"])

    def put_item(self, table: str, item: Json) -> None:
        self.items[item["id"]["S"]] = item


def table_services() -> dict[str, Service]:
    """Return what reads and writes the items of a definition's tables."""
    client = boto3.client("dynamodb")
    return {
        f"arn:aws:states:::dynamodb:{action}": _call(method)
        for action, method in (
            ("getItem", client.get_item),
            ("putItem", client.put_item),
            ("updateItem", client.update_item),
        )
    }


def _call(method: Callable[..., Any]) -> Service:
    def call(arguments: Json) -> Any:
        try:
            return method(**arguments)
        except ClientError as error:
            reply = error.response["Error"]
            raise Failure(f"DynamoDB.{reply['Code']}", reply["Message"], "TaskFailed") from None

    return call


def _execution_arn(machine: str, name: str) -> str:
    return f"{machine.replace(':stateMachine:', ':execution:')}:{name}"
