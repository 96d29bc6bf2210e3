"""A question's events in AWS: the function `stream` as a process, its bytes read as API Gateway reads them."""

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest

from selfrag_cli.local.serving.invocation import threaded_handler
from tests.e2e.test_events import ACCEPT, Event, asked_anew, events, said, until_written
from tests.support.aws.resources import bind
from tests.support.doubles.lambda_double import LambdaDouble
from tests.support.doubles.runtime_api_double import RuntimeApiDouble, Streamed
from tests.support.serving import ASK, ServedStack, finished
from tests.support.streaming import asked_by_the_gateway, streaming_function

STREAMED = {"content-type": "text/event-stream", "cache-control": "no-store", "x-request-id": "gateway-1"}


@dataclass
class Function:
    """The function `stream`, and the Lambda at which it invokes `ask`."""

    runtime: RuntimeApiDouble
    functions: LambdaDouble

    def ask(self, body: dict[str, Any], seconds: float = 60.0, **headers: str) -> Streamed:
        return self.runtime.invoke(
            {**asked_by_the_gateway("POST", "/v1/ask", **headers), "body": json.dumps(body)}, seconds
        )


@pytest.fixture(scope="module")
def function(served_stack: ServedStack) -> Iterator[Function]:
    with (
        LambdaDouble({"ask": threaded_handler()}) as functions,
        streaming_function(functions.environment()) as runtime,
    ):
        yield Function(runtime, functions)


def head_of(streamed: Streamed) -> tuple[int, dict[str, str]]:
    head = streamed.head()
    return head["statusCode"], {name.lower(): value for name, [value] in head["multiValueHeaders"].items()}


def heard(streamed: Streamed) -> Iterator[Event]:
    """Yield the events of a stream as they come."""
    return events(line for part in streamed.body() for line in part.split("\n")[:-1])


def test_the_passes_come_as_they_end_and_the_response_at_last(
    function: Function, api: httpx2.Client, held: threading.Event
) -> None:
    streamed = function.ask(asked_anew(), **ACCEPT)
    status, headers = head_of(streamed)
    assert (status, headers | STREAMED) == (200, headers)
    sent = streamed.sent.get()
    assert sent["lambda-runtime-function-response-mode"] == "streaming"
    assert sent["transfer-encoding"] == "chunked"
    assert sent["content-type"] == "application/vnd.awslambda.http-integration-response"
    stream = heard(streamed)
    seen = until_written(stream)
    assert [event["event"] for event in seen] == ["question", *["pass"] * (len(seen) - 1)]
    held.set()
    *_, last = stream
    # Behind the stage's path, as `Location` of every reply.
    location = headers["location"].removeprefix("/live")
    assert (last["event"], said(last)) == ("answer", finished(api, location))


def test_stream_beyond_function_timeout_is_cut_and_question_continues(
    function: Function, api: httpx2.Client, held: threading.Event
) -> None:
    # Lambda would end the function in 6 seconds: its stream ends by itself, and is no error.
    cut_off = function.ask(asked_anew(), seconds=6, **ACCEPT)
    status, headers = head_of(cut_off)
    assert status == 200
    assert {event["event"] for event in heard(cut_off)} <= {"question", "pass"}
    held.set()
    assert finished(api, headers["location"].removeprefix("/live"))["status"] == "answered"


def test_a_client_that_is_gone_ends_neither_the_function_nor_its_question(
    function: Function, api: httpx2.Client, held: threading.Event
) -> None:
    streamed = function.ask(asked_anew(), **ACCEPT)
    status, headers = head_of(streamed)
    assert status == 200
    streamed.hung_up = True
    assert len(list(streamed.body())) <= 2
    held.set()
    assert finished(api, headers["location"].removeprefix("/live"))["status"] == "answered"
    assert head_of(function.ask(ASK))[0] == 200


def test_a_client_that_takes_json_gets_what_the_function_ask_replies(function: Function, api: httpx2.Client) -> None:
    bind("key#uploader", "c", actions=["upload"])
    body = asked_anew()
    status, headers = head_of(whole := function.ask(body, idempotency_key="k", x_api_key="ours"))
    response = json.loads("".join(whole.body()))
    assert (status, headers["content-type"], response["status"]) == (200, "application/json", "answered")
    again = function.ask(body, idempotency_key="k", x_api_key="ours")
    assert (head_of(again)[0], json.loads("".join(again.body()))) == (200, response)
    for wrong, key, accept in (({"question": ""}, "ours", {}), (body, "nobody", ACCEPT), (body, "uploader", ACCEPT)):
        refused = api.post("/v1/ask", json=wrong, headers={"x-api-key": key, **accept})
        status, headers = head_of(streamed := function.ask(wrong, x_api_key=key, **accept))
        assert (status, headers["content-type"]) == (refused.status_code, "application/problem+json")
        assert json.loads("".join(streamed.body())) == refused.json() | {"request_id": headers["x-request-id"]}


def test_a_function_that_fails_is_a_problem_and_between_looks_no_end(
    function: Function, api: httpx2.Client, held: threading.Event
) -> None:
    function.functions.failing = {"ask": "Sandbox.Timedout"}
    status, headers = head_of(failed := function.ask(ASK, **ACCEPT))
    assert (status, headers["content-type"], headers["retry-after"]) == (503, "application/problem+json", "5")
    assert "Sandbox.Timedout" in json.loads("".join(failed.body()))["detail"]
    function.functions.failing = {}
    streamed = function.ask(asked_anew(), **ACCEPT)
    assert head_of(streamed)[0] == 200
    stream = heard(streamed)
    assert next(stream)["event"] == "question"
    function.functions.failing = {"ask": "Sandbox.Timedout"}
    count = len(function.functions.invoked)
    while len(function.functions.invoked) == count:
        threading.Event().wait(0.02)
    function.functions.failing = {}
    held.set()
    assert list(stream)[-1]["event"] == "answer"
