"""The local stack: the deployed definition, interpreted, with the deployed handlers and nothing but pip packages."""

import importlib
import json
import logging
import os
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3

from selfrag import bootstrap
from selfrag_cli.local.definitions import INGESTION, QUESTION, ROOMS, definition_json, placeholders
from selfrag_cli.local.environment import MACHINE_ARN, handlers_environment
from selfrag_cli.local.stack import announced, secrets_of
from tests.support.emulated_aws.interpreter import LambdaHandler, Pause, local_aws
from tests.support.emulated_aws.resources import DOCUMENTS_BUCKET, TABLES, make

INGESTION_ARN = f"{MACHINE_ARN}-ingestion"
OnStep = Callable[[str], None]


@dataclass(frozen=True)
class Execution:
    """A finished execution: its output, or None and the error, how long it took, and its history."""

    id: str
    output: dict[str, Any] | None
    error: str
    seconds: float
    history: list[dict[str, Any]]


class LocalStack:
    """A running local stack; made by `running_stack`."""

    def __init__(self) -> None:
        self._client = boto3.client("stepfunctions")

    def execute(self, payload: Mapping[str, Any], name: str = "") -> Execution:
        """Ask one question: run the workflow to its end."""
        return self._run(MACHINE_ARN, payload, name or uuid.uuid4().hex)

    def ingest(self, key: str, bucket: str = DOCUMENTS_BUCKET) -> Execution:
        """Run the ingestion of one object to its end."""
        return self._run(INGESTION_ARN, {"bucket": bucket, "key": key}, uuid.uuid4().hex)

    def _run(self, machine: str, payload: Mapping[str, Any], name: str) -> Execution:
        began = time.perf_counter()
        # Unlike StartExecution it says when the execution has ended.
        ended = self._client.start_sync_execution(stateMachineArn=machine, name=name, input=json.dumps(payload))
        seconds = time.perf_counter() - began
        output = json.loads(ended["output"]) if ended["status"] == "SUCCEEDED" else None
        error = ": ".join(filter(None, (ended.get("error") or ended["status"], ended.get("cause"))))
        history = self._history(ended["executionArn"])
        return Execution(name, output, "" if output is not None else error, seconds, history)

    def _history(self, arn: str) -> list[dict[str, Any]]:
        events: list[dict[str, Any]] = []
        page: Any = self._client.get_execution_history(executionArn=arn, maxResults=1000)
        events += page["events"]
        while token := page.get("nextToken"):
            page = self._client.get_execution_history(executionArn=arn, maxResults=1000, nextToken=token)
            events += page["events"]
        # As the laptop keeps them: with moments as text.
        kept: list[dict[str, Any]] = json.loads(json.dumps(events, default=lambda moment: moment.isoformat()))
        return kept


def definition_text(definition: Path = QUESTION) -> str:
    """Return the definition with its placeholders filled in, as Terraform fills them in."""
    names = {name: TABLES.get(name, (name,))[0] for name in placeholders(definition)}
    return definition_json(definition, names)


def deployed_handlers(*definitions: Path) -> dict[str, LambdaHandler]:
    """The handlers of all steps that the definitions name (the workflow's, if none is given), by their folder."""
    found = [(ROOMS[path], name) for path in definitions or (QUESTION,) for name in sorted(_steps_of(path))]
    return {name: importlib.import_module(f"{room}.{name}.handler").handler for room, name in found}


def _steps_of(definition: Path) -> set[str]:
    return placeholders(definition) - set(TABLES)


@contextmanager
def running_stack(
    environment: Mapping[str, str],
    secrets: Mapping[str, str],
    *,
    parts: bootstrap.Parts | None = None,
    handlers: Mapping[str, LambdaHandler] | None = None,
    definition: str = "",
    on_step: OnStep = lambda step: None,
    pause: Pause = time.sleep,
) -> Iterator[LocalStack]:
    """Start the local stack with the handlers' environment and the secrets that they read; end it with the block.

    `parts` override those that the settings would make. Without `secrets` the handlers ask the Secrets Manager, which
    holds none.

    It has the question's machine and the ingestion's, if all steps have a handler; `handlers` are those of the question
    if they are left out. `definition` stands in for the question's.
    """
    logging.getLogger("moto").setLevel(logging.CRITICAL)  # an expected failure of a task is not news
    overrides = parts or {}
    if secrets:
        overrides = {"secrets": secrets_of(secrets), **overrides}
    # A real engine may keep the tables.
    engine = {name: url for name, url in os.environ.items() if name == "AWS_ENDPOINT_URL_DYNAMODB"}
    with handlers_environment({**engine, **environment}), bootstrap.using(**overrides):
        known = deployed_handlers() if handlers is None else handlers
        with local_aws({name: announced(name, handler, on_step) for name, handler in known.items()}, pause):
            machines = {
                arn: definition_text(path)
                for arn, path in {MACHINE_ARN: QUESTION, INGESTION_ARN: INGESTION}.items()
                if _steps_of(path) <= known.keys()
            }
            make({**machines, **({MACHINE_ARN: definition} if definition else {})})
            yield LocalStack()
