"""A question's events in AWS: the function `stream` as a process, its bytes read as API Gateway reads them."""

import json
import threading
from collections.abc import Iterator

import httpx2
import pytest

from selfrag_cli.local.stack import MACHINE_ARN
from tests.e2e.test_events import Event, events, said, started, until_graded
from tests.support.aws.elsewhere import aws_elsewhere
from tests.support.aws.resources import bind
from tests.support.doubles.runtime_api_double import RuntimeApiDouble, Streamed
from tests.support.serving import ASK, ServedStack, finished
from tests.support.streaming import asked_by_the_gateway, streaming_function

STREAMED = {"content-type": "text/event-stream", "cache-control": "no-store", "x-request-id": "gateway-1"}
PAGE = "https://app.example.com"


@pytest.fixture(scope="module")
def function(served_stack: ServedStack) -> Iterator[RuntimeApiDouble]:
    environment = {
        "SELFRAG_EXPRESS_MACHINE_ARN": MACHINE_ARN,
        "SELFRAG_STANDARD_MACHINE_ARN": f"{MACHINE_ARN}:3",
        "SELFRAG_CORS_ORIGINS": PAGE,
    }
    with aws_elsewhere("stream") as aws, streaming_function(aws.url, environment) as runtime:
        yield runtime


def listening(function: RuntimeApiDouble, location: str, **headers: str) -> Streamed:
    return function.invoke(asked_by_the_gateway("GET", f"{location}/events", **headers))


def head_of(streamed: Streamed) -> tuple[int, dict[str, str]]:
    head = streamed.head()
    return head["statusCode"], {name.lower(): value for name, value in head["headers"].items()}


def heard(streamed: Streamed) -> Iterator[Event]:
    """Yield the events of a stream as they come."""
    return events(line for part in streamed.body() for line in part.split("\n")[:-1])


def test_a_listener_sees_the_steps_as_they_come_and_the_response_at_last(
    function: RuntimeApiDouble,
    api: httpx2.Client,
    held: threading.Event,
) -> None:
    location = started(api)
    streamed = listening(function, location)
    status, headers = head_of(streamed)
    assert (status, headers | STREAMED) == (200, headers)
    sent = streamed.sent.get()
    assert sent["lambda-runtime-function-response-mode"] == "streaming"
    assert sent["transfer-encoding"] == "chunked"
    assert sent["content-type"] == "application/vnd.awslambda.http-integration-response"
    stream = heard(streamed)
    seen = until_graded(stream)
    assert {event["event"] for event in seen} == {"progress"}
    held.set()
    *_, last = stream
    assert (last["event"], said(last)) == ("response", finished(api, location))


def test_a_listener_that_was_cut_off_hears_what_it_missed_and_nothing_twice(
    function: RuntimeApiDouble,
    api: httpx2.Client,
    held: threading.Event,
) -> None:
    location = started(api)
    # Lambda would end the function in 6 seconds: its stream ends by itself, and is no error.
    cut_off = function.invoke(asked_by_the_gateway("GET", f"{location}/events"), seconds=6)
    assert head_of(cut_off)[0] == 200
    *_, last = heard(cut_off)
    assert last["event"] == "progress"
    held.set()
    response = finished(api, location)
    streamed = listening(function, location, last_event_id=last["id"])
    assert head_of(streamed)[0] == 200
    (rest,) = heard(streamed)
    assert (rest["event"], said(rest)) == ("response", response)
    after = listening(function, location, last_event_id=rest["id"])
    assert (head_of(after)[0], list(after.body())) == (204, [])


def test_the_function_goes_on_when_a_client_is_gone(
    function: RuntimeApiDouble,
    api: httpx2.Client,
    held: threading.Event,
) -> None:
    location = started(api)
    streamed = listening(function, location)
    assert head_of(streamed)[0] == 200
    streamed.hung_up = True
    assert len(list(streamed.body())) <= 2
    held.set()
    response = finished(api, location)
    (only,) = heard_of(function, location)
    assert said(only) == response


def test_callers_are_refused_as_by_the_api_before_anything_is_streamed(
    function: RuntimeApiDouble, api: httpx2.Client
) -> None:
    response = api.post("/v1/ask", json=ASK).json()
    location = f"/v1/questions/{response['id']}"
    bind("key#theirs", "d")
    bind("key#uploader", "c", actions=["upload"])
    keys = ("theirs", "uploader", "nobody")
    for place, key in (*((location, key) for key in keys), ("/v1/questions/unknown", "ours")):
        refused = listening(function, place, x_api_key=key)
        status, headers = head_of(refused)
        told = api.get(place, headers={"x-api-key": key})
        assert (status, headers["content-type"]) == (told.status_code, "application/problem+json")
        body = json.loads("".join(refused.body()))
        assert body == told.json() | {"request_id": headers["x-request-id"]}
    (only,) = heard_of(function, location, x_api_key="ours")
    assert said(only) == response


def test_other_methods_hear_what_the_path_takes(function: RuntimeApiDouble, api: httpx2.Client) -> None:
    location = f"/v1/questions/{api.post('/v1/ask', json=ASK).json()['id']}/events"
    looked = function.invoke(asked_by_the_gateway("HEAD", location))
    assert (head_of(looked)[1]["content-type"], list(looked.body())) == ("text/event-stream", [])
    refused = function.invoke(asked_by_the_gateway("POST", location))
    status, headers = head_of(refused)
    assert (status, headers["allow"]) == (405, "GET, HEAD, OPTIONS")
    assert json.loads("".join(refused.body()))["hint"] == "Listen with GET."
    asking = {"origin": PAGE, "access_control_request_method": "GET"}
    status, headers = head_of(function.invoke(asked_by_the_gateway("OPTIONS", location, **asking)))
    assert (status, headers["access-control-allow-origin"]) == (204, PAGE)
    assert "Last-Event-ID" in headers["access-control-allow-headers"]


def heard_of(function: RuntimeApiDouble, location: str, **headers: str) -> list[Event]:
    streamed = listening(function, location, **headers)
    assert head_of(streamed)[0] == 200
    return list(heard(streamed))
