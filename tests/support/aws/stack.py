"""The deployed definitions and handlers over moto's tables, buckets and secrets, in this process."""

import os
import re
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import Any
from unittest.mock import patch

from botocore.client import BaseClient
from moto import mock_aws
from moto.core.botocore_stubber import BotocoreStubber

from selfrag import bootstrap
from selfrag_cli.local.runner.lane import Pause
from selfrag_cli.local.runner.machine import Execution, Machine
from selfrag_cli.local.runner.tasks import LambdaHandler, services
from selfrag_cli.local.stack import (
    INGESTION,
    MACHINE_ARN,
    QUESTION,
    announce_step,
    definition_of,
    handlers_environment,
    placeholders,
)
from selfrag_cli.local.stack import deployed_handlers as handlers_of
from tests.support.aws.resources import DOCUMENTS_BUCKET, TABLES, VALUES, make
from tests.support.aws.states import Answers, States, table_services
from tests.support.roles.recorded import machine_services

INGESTION_ARN = f"{MACHINE_ARN}-ingestion"
# The machines by the names of their roles on the page of permissions.
_MACHINES = {MACHINE_ARN: ("workflow", QUESTION), INGESTION_ARN: ("ingestion", INGESTION)}
_STORES = re.compile(r"https://(dynamodb|([^/]+\.)?s3)\.")
OnStep = Callable[[str], None]


class LocalStack:
    """A running local stack; made by `running_stack`."""

    def __init__(self, states: States) -> None:
        self._states = states
        self.watch, self.settle = states.watch, states.settle

    def execute(self, payload: Mapping[str, Any], name: str = "") -> Execution:
        """Ask one question: run the workflow to its end."""
        return self._states.start(MACHINE_ARN, name or uuid.uuid4().hex, payload).wait()

    def ingest(self, key: str, bucket: str = DOCUMENTS_BUCKET) -> Execution:
        """Run the ingestion of one object to its end."""
        return self._states.start(INGESTION_ARN, uuid.uuid4().hex, {"bucket": bucket, "key": key}).wait()


def deployed_handlers(*definitions: Path) -> dict[str, LambdaHandler]:
    """Return the handlers of all steps of the definitions, by folder; those of questions if none is given."""
    return {name: handler for path in definitions or (QUESTION,) for name, handler in handlers_of(path).items()}


@contextmanager
def running_stack(
    environment: Mapping[str, str],
    secrets: Mapping[str, str],
    *,
    parts: bootstrap.Parts | None = None,
    handlers: Mapping[str, LambdaHandler] | None = None,
    on_step: OnStep = lambda step: None,
    pause: Pause = time.sleep,
) -> Iterator[LocalStack]:
    """Start the local stack with the handlers' environment and the secrets that they read; end it with the block.

    `parts` override those that the settings would make. Without `secrets` the handlers ask the Secrets Manager, which
    holds none.

    It has the question's machine and the ingestion's, if all steps have a handler; `handlers` are those of the question
    if they are left out.
    """
    overrides = parts or {}
    if secrets:
        overrides = {"secrets": lambda name, setting, *, anew=False: secrets[name], **overrides}
    # A real engine may keep the tables.
    engine = {name: url for name, url in os.environ.items() if name == "AWS_ENDPOINT_URL_DYNAMODB"}
    with ExitStack() as opened:
        opened.enter_context(handlers_environment({**engine, **environment}))
        opened.enter_context(bootstrap.using(**overrides))
        opened.enter_context(patch.object(BotocoreStubber, "process_request", _one_at_a_time()))
        opened.enter_context(mock_aws())
        make()
        deployed = deployed_handlers() if handlers is None else handlers
        states = States(_machines({name: announce_step(name, each, on_step) for name, each in deployed.items()}, pause))
        opened.enter_context(patch.object(BaseClient, "_make_api_call", _with_machines(states)))
        yield LocalStack(states)


def _machines(handlers: Mapping[str, LambdaHandler], pause: Pause) -> dict[str, Machine]:
    tables = table_services()
    machines = {}
    for arn, (role, path) in _MACHINES.items():
        names = {name: VALUES.get(name) or TABLES.get(name, (name,))[0] for name in placeholders(path)}
        if set(names) - set(TABLES) - set(VALUES) <= handlers.keys():
            own = machine_services(role, {**services(handlers, Answers()), **tables})
            machines[arn] = Machine(arn, definition_of(path, names), own, pause)
    return machines


def _with_machines(states: States) -> Callable[..., Any]:
    """Return what answers calls of Step Functions by its machines, and passes on all others."""
    call = BaseClient._make_api_call

    def make_api_call(self: Any, operation: str, parameters: dict[str, Any]) -> Any:
        if self.meta.service_model.service_name != "stepfunctions":
            return call(self, operation, parameters)
        return states.call(self, operation, parameters)

    return make_api_call


def _one_at_a_time() -> Callable[..., Any]:
    """Return what lets one thread at a time into moto's tables and buckets.

    A condition and its write are two steps there, and a query breaks off when another thread writes.
    """
    process, storing = BotocoreStubber.process_request, threading.RLock()

    def process_one(self: Any, request: Any) -> Any:
        with storing if _STORES.match(request.url) else nullcontext():
            return process(self, request)

    return process_one
