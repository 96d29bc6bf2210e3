"""The HTTP API over the local stack, and what its tests look at."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import boto3
import httpx2
from starlette.requests import Request

from selfrag_cli.local.serving.gateway import serving
from selfrag_cli.local.serving.invocation import event_of, threaded_handler
from tests.support.aws.resources import FEEDBACK_TABLE, REQUESTS_TABLE, TABLES, bind, empty_table
from tests.support.aws.stack import MACHINE_ARN, LocalStack
from tests.support.doubles.model_server import ModelServer
from tests.support.local import QUESTION, local_stack
from tests.support.roles.recorded import as_caller

ASK = {"question": QUESTION["question"], "policy": {"web_search": False}}


@dataclass(frozen=True)
class ServedStack:
    """A served API, and the model that it asks."""

    client: httpx2.Client
    model: ModelServer
    stack: LocalStack

    def reset(self) -> None:
        """Forget every question: its answer, its verdicts, its requests and its feedback."""
        self.stack.settle()
        self.model.begin_anew(lambda step, number: None)
        for name, key in (*TABLES.values(), (REQUESTS_TABLE, "id"), (FEEDBACK_TABLE, "id")):
            empty_table(name, key)


@contextmanager
def serving_stack(model: ModelServer, **environment: str) -> Iterator[ServedStack]:
    """Serve a stack whose callers `a`, `b`, `ours` and those without a key may ask one collection."""
    # The server closes idle connections after five seconds: clients must not reuse them near that limit.
    limits = httpx2.Limits(max_connections=64, keepalive_expiry=1)
    with (
        local_stack(model, **environment) as stack,
        serving(0, stack.watch, handler=as_caller("ask", threaded_handler())) as url,
        httpx2.Client(base_url=url, timeout=40, limits=limits) as client,
    ):
        for caller in ("principal#", "key#a", "key#b", "key#ours"):
            bind(caller, "c")
        yield ServedStack(client, model, stack)


@contextmanager
def serving_api(model: ModelServer, **environment: str) -> Iterator[httpx2.Client]:
    """Serve a stack, and yield a client of it."""
    with serving_stack(model, **environment) as served:
        yield served.client


def gateway_event(method: str, path: str, body: bytes = b"", **headers: str) -> Any:
    """Return a request as API Gateway sends it to a Lambda."""
    lines = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": method, "path": path, "query_string": b"", "headers": lines}
    return event_of(Request(scope), body)


def eventually(look: Callable[[], Any]) -> Any:
    """Return what `look` gives as soon as it gives something."""
    ends = time.monotonic() + 30
    while time.monotonic() < ends:
        if (found := look()) is not None:
            return found
        threading.Event().wait(0.02)
    raise AssertionError("nothing came")


def finished(api: httpx2.Client, location: str) -> dict[str, Any]:
    """Wait for the response to a question, and return it."""

    def look() -> dict[str, Any] | None:
        reply: dict[str, Any] = api.get(location).json()
        return None if reply["status"] == "running" else reply

    return dict(eventually(look))


def executions() -> list[Any]:
    """Return the executions of questions, the last one first."""
    return list(boto3.client("stepfunctions").list_executions(stateMachineArn=MACHINE_ARN)["executions"])


def problem(reply: httpx2.Response, status: int) -> dict[str, Any]:
    """Return the body of a problem with this status, in the form of all problems."""
    assert reply.status_code == status, reply.text
    assert reply.headers["content-type"] == "application/problem+json"
    body: dict[str, Any] = reply.json()
    assert list(body) == ["type", "title", "status", "detail", "request_id", "hint"]
    assert (body["status"], body["request_id"]) == (status, reply.headers["x-request-id"])
    return body
