"""The two state machines and the table of answers, as the API uses them."""

import json
import os
import time
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, ReadTimeoutError

from ask.settings import ApiSettings
from selfrag.errors import InvalidInput, Misconfigured, SelfragError, TemporarilyUnavailable

_REFUSED = {"AccessDeniedException", "StateMachineDoesNotExist", "ResourceNotFoundException", "InvalidArn"}
_HISTORY_PAGE = 1000


@dataclass(frozen=True)
class ExecutionState:
    """An execution of the Standard machine as it is now: its status in AWS's words, its output, its history."""

    status: str
    output: dict[str, Any] | None
    history: list[dict[str, Any]]


class Executions:
    """Starts questions and looks at them; raises selfrag's typed errors."""

    def __init__(self, states: Any, dynamodb: Any, config: ApiSettings) -> None:
        self._states, self._dynamodb, self._config = states, dynamodb, config

    def answer(self, question_id: str, payload: dict[str, Any]) -> dict[str, Any] | None:
        """Run a question on the Express machine to its end; None when the connection did not last that long."""
        try:
            ended = self._states.start_sync_execution(
                stateMachineArn=self._config.express_machine_arn, name=question_id, input=json.dumps(payload)
            )
        except ReadTimeoutError:
            return None
        except (BotoCoreError, ClientError) as error:
            raise _typed(error) from error
        if ended["status"] != "SUCCEEDED":
            raise TemporarilyUnavailable("The workflow did not end as it should; its logs have the execution's name.")
        return dict(json.loads(ended["output"]))

    def start(self, question_id: str, payload: dict[str, Any]) -> None:
        """Start a question on the Standard machine."""
        try:
            self._states.start_execution(
                stateMachineArn=self._config.standard_machine_arn, name=question_id, input=json.dumps(payload)
            )
        except (BotoCoreError, ClientError) as error:
            raise _typed(error) from error

    def remembered(self, question_id: str, collections: Collection[str]) -> dict[str, Any] | None:
        """The response of a finished question, whichever machine ran; None when there is none of the caller's.

        An answer belongs to the collections that it was asked under: a caller must be allowed all of them.
        """
        try:
            # A follow-up may come in the moment in which the answer was written.
            found = self._dynamodb.get_item(
                TableName=self._config.answers_table, Key={"id": {"S": question_id}}, ConsistentRead=True
            )
        except (BotoCoreError, ClientError) as error:
            raise _typed(error) from error
        item = found.get("Item")
        # DynamoDB deletes expired items within days, not at the moment: the reader has to compare.
        if item is None or int(item["expires_at"]["N"]) <= time.time():
            return None
        if not _all_of([name["S"] for name in item["collections"]["L"]], collections):
            return None
        return dict(json.loads(item["response"]["S"]))

    def state_of(self, question_id: str, collections: Collection[str]) -> ExecutionState | None:
        """How far the Standard machine is with a question; None when it knows no such question of the caller's."""
        arn = f"{self._config.standard_machine_arn.replace(':stateMachine:', ':execution:')}:{question_id}"
        try:
            state = self._states.describe_execution(executionArn=arn)
            if not _all_of(_asked_under(state.get("input", "{}")), collections):
                return None
            pages = self._states.get_paginator("get_execution_history").paginate(
                executionArn=arn, PaginationConfig={"PageSize": _HISTORY_PAGE}
            )
            output = json.loads(state["output"]) if state.get("output") else None
            return ExecutionState(state["status"], output, [event for page in pages for event in page["events"]])
        except (BotoCoreError, ClientError) as error:
            if _code(error) == "ExecutionDoesNotExist":
                return None
            raise _typed(error) from error


def executions(config: ApiSettings) -> Executions:
    """The machines and the table of this deployment."""
    return Executions(_states(), dynamodb(), config)


@cache
def _states() -> Any:
    # StartSyncExecution has a host of its own, `sync-states`, which only AWS's own endpoints have.
    own_endpoint = bool(os.environ.get("AWS_ENDPOINT_URL") or os.environ.get("AWS_ENDPOINT_URL_SFN"))
    # A question is never started twice by itself, and the Lambda answers before API Gateway's 29 s are over.
    patience = Config(
        connect_timeout=2, read_timeout=26.5, retries={"total_max_attempts": 1}, inject_host_prefix=not own_endpoint
    )
    return boto3.client("stepfunctions", config=patience)


@cache
def dynamodb() -> Any:
    """The client of the tables of answers and requests."""
    return boto3.client("dynamodb", config=Config(connect_timeout=1, read_timeout=2, retries={"total_max_attempts": 3}))


def _asked_under(given: str) -> list[str]:
    # An execution that an operator started by hand may name one collection as it is, or none.
    named = json.loads(given).get("collections", [])
    return named if isinstance(named, list) else [named]


def _all_of(asked: Collection[str], allowed: Collection[str]) -> bool:
    # What was asked under no collection is nobody's.
    return bool(asked) and set(asked) <= set(allowed)


def _code(error: Exception) -> str:
    return str(error.response["Error"]["Code"]) if isinstance(error, ClientError) else ""


def _typed(error: Exception) -> SelfragError:
    code = _code(error)
    if code == "InvalidExecutionInput":
        return InvalidInput("The question and its policy are too large for the workflow.")
    if code in _REFUSED:
        return Misconfigured(f"the API may not use the workflow or a table: {code}")
    return TemporarilyUnavailable("The workflow cannot take the question just now.")
