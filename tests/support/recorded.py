"""Which IAM actions each Lambda, and the workflow itself, need: recorded while they run."""

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any
from unittest.mock import patch

from botocore.client import BaseClient
from opensearchpy.connection import Urllib3HttpConnection

# Threads that moto starts for an execution begin without a caller: what they call, the machine calls.
_caller: ContextVar[str] = ContextVar("caller", default="workflow")
_PREFIXES = {"stepfunctions": "states", "bedrock-runtime": "bedrock"}
_ACTIONS = {"lambda:Invoke": "lambda:InvokeFunction"}

Calls = set[tuple[str, str, str]]
Handler = Callable[[dict[str, Any], Any], Any]


def as_caller(name: str, handler: Handler) -> Handler:
    """The handler, whose AWS calls are recorded under this name."""

    def recorded(event: dict[str, Any], context: Any) -> Any:
        token = _caller.set(name)
        try:
            return handler(event, context)
        finally:
            _caller.reset(token)

    return recorded


@contextmanager
def recording() -> Iterator[Calls]:
    """The calls made in the block: (caller, IAM action, resource); those of the block's own thread are left out."""
    calls: Calls = set()
    lock = threading.Lock()
    token = _caller.set("")
    call_api, call_collection = BaseClient._make_api_call, Urllib3HttpConnection.perform_request

    def note(action: str, resource: str) -> None:
        if _caller.get():
            with lock:
                calls.add((_caller.get(), action, resource))

    def make_api_call(self: Any, operation: str, parameters: dict[str, Any]) -> Any:
        prefix = _PREFIXES.get(self.meta.service_model.service_name, self.meta.service_model.service_name)
        action = f"{prefix}:{operation}"
        note(_ACTIONS.get(action, action), _resource(parameters))
        return call_api(self, operation, parameters)

    def perform_request(self: Any, *arguments: Any, **named: Any) -> Any:
        note("aoss:APIAccessAll", "collection")
        return call_collection(self, *arguments, **named)

    with (
        patch.object(BaseClient, "_make_api_call", make_api_call),
        patch.object(Urllib3HttpConnection, "perform_request", perform_request),
    ):
        try:
            yield calls
        finally:
            _caller.reset(token)


def _resource(parameters: dict[str, Any]) -> str:
    """What a call is about: a table, secret, function, machine or model, without the parts that vary."""
    names = ("TableName", "SecretId", "FunctionName", "stateMachineArn", "executionArn", "modelId")
    text = next((str(parameters[name]) for name in names if name in parameters), "")
    found = re.match(r"arn:aws:states:[^:]+:\d+:(\w+):([^:]+)", text)
    return f"{found[1]}:{found[2]}" if found else text
