"""The API's Lambda with fake machines: responses to callers if AWS fails."""

import json
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qsl

import boto3
import pytest
from botocore.exceptions import ClientError, ReadTimeoutError
from botocore.stub import ANY, Stubber

from selfrag import bootstrap
from selfrag.adapters.executions import UNVERSIONED, StatesExecutions
from selfrag.api.edge.methods import DESCRIPTION
from selfrag.api.handler import handler
from selfrag.api.logic import unfinished
from selfrag.api.openapi import description
from selfrag.domain.history import Step, steps_of
from selfrag.runtime.settings import ApiSettings
from selfrag_cli.local.stores.bindings import LocalBindings

EXPRESS = "arn:aws:states:eu-west-1:123456789012:stateMachine:selfrag-express"
STANDARD = "arn:aws:states:eu-west-1:123456789012:stateMachine:selfrag-standard"
RESPONSE = {"id": "abc", "status": "answered"}
CONTEXT = SimpleNamespace(aws_request_id="lambda-1", function_name="ask", get_remaining_time_in_millis=lambda: 29_000)


class FakeStates:
    """Both machines; `replies` maps an operation to a reply or an exception."""

    def __init__(self, **replies: Any) -> None:
        self.replies = replies
        self.asked: dict[str, Any] = {}

    def start_sync_execution(self, **request: Any) -> Any:
        return self._reply("start_sync_execution", request)

    def start_execution(self, **request: Any) -> Any:
        return self._reply("start_execution", request)

    def describe_execution(self, **request: Any) -> Any:
        return self._reply("describe_execution", request)

    def get_paginator(self, operation: str) -> Any:
        return SimpleNamespace(paginate=lambda **request: self._pages(operation, request))

    def _pages(self, operation: str, request: Any) -> Iterator[Any]:
        yield from self._reply(operation, request)

    def _reply(self, operation: str, request: Any) -> Any:
        self.asked[operation] = request
        reply = self.replies[operation]
        if isinstance(reply, Exception):
            raise reply
        return reply(request) if callable(reply) else reply


def refused(code: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": "SECRET"}}, "Operation")


def event(method: str, place: str, body: Any = None, **context: Any) -> dict[str, Any]:
    path, _, query = place.partition("?")
    request = {"requestId": "gateway-1", "path": f"/live{path}", "stage": "live", **context}
    text = None if body is None else json.dumps(body)
    head: dict[str, Any] = {"headers": {"content-type": "application/json"}, "multiValueHeaders": {}}
    asked = dict(parse_qsl(query)) or None
    return {
        "httpMethod": method, "path": path, "body": text, "requestContext": request, **head,
        "queryStringParameters": asked, "multiValueQueryStringParameters": asked and {k: [v] for k, v in asked.items()},
    }  # fmt: skip


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Yield the table of answers, as a stub that knows no answer unless a test says so."""
    client = boto3.client("dynamodb", region_name="us-east-1", aws_access_key_id="a", aws_secret_access_key="b")
    monkeypatch.setenv("SELFRAG_EXPRESS_MACHINE_ARN", EXPRESS)
    monkeypatch.setenv("SELFRAG_STANDARD_MACHINE_ARN", STANDARD)
    with Stubber(client) as stub:
        yield stub


def machines_of(express: str = EXPRESS, standard: str = STANDARD, answers: str = "answers") -> ApiSettings:
    """Return settings with these machines, and this table of answers."""
    return ApiSettings(express_machine_arn=express, standard_machine_arn=standard, answers_table=answers)


MACHINES = machines_of()


def send(
    answers: Stubber, states: FakeStates, request: dict[str, Any], machines: ApiSettings = MACHINES
) -> tuple[int, Any, Any]:
    executions = StatesExecutions(states, answers.client, machines)
    # As on the laptop, every caller may ask the one collection.
    with bootstrap.using(executions=executions, bindings=LocalBindings("documents")):
        reply = handler(request, CONTEXT)
    return reply["statusCode"], json.loads(reply["body"]), reply["multiValueHeaders"]


EXPECTED = {"TableName": "answers", "Item": ANY, "ConditionExpression": "attribute_not_exists(id)"}
LOOKED = {"TableName": "answers", "Key": {"id": {"S": "abc"}}, "ConsistentRead": True}


def kept(due_in: float, collections: tuple[str, ...] = ("documents",)) -> dict[str, Any]:
    """Return the item of question `abc` without a response, which is due in so many seconds."""
    due = int(time.time() + due_in)
    names = {"L": [{"S": name} for name in collections]}
    return {
        "Item": {
            "id": {"S": "abc"},
            "question": {"S": "How many days?"},
            "collections": names,
            "due_at": {"N": str(due)},
            "expires_at": {"N": str(due + 999)},
        }
    }


def test_event_client_without_streaming_gets_location_to_poll(answers: Stubber) -> None:
    answers.add_response("put_item", {}, EXPECTED)
    states = FakeStates(start_execution={})
    request = event("POST", "/v1/ask", {"question": "How many days?", "policy": {"deadline_seconds": 200}})
    status, body, headers = send(answers, states, request | {"headers": {"Accept": "text/event-stream"}})
    assert (status, body["status"], headers["Location"]) == (202, "running", [f"/live/v1/questions/{body['id']}"])
    assert states.asked["start_execution"]["stateMachineArn"] == STANDARD


def test_a_question_whose_connection_did_not_last_is_found_at_its_location(answers: Stubber) -> None:
    answers.add_response("put_item", {}, EXPECTED)
    answers.add_response("get_item", {}, {**LOOKED, "Key": ANY})
    machines = FakeStates(start_sync_execution=ReadTimeoutError(endpoint_url="x"))
    status, body, headers = send(answers, machines, event("POST", "/v1/ask", {"question": "How many days?"}))
    assert (status, body["status"]) == (202, "running")
    assert headers["Location"] == [f"/live/v1/questions/{body['id']}"]
    answers.assert_no_pending_responses()


def test_a_question_is_known_before_it_is_started(answers: Stubber) -> None:
    def start(request: Any) -> Any:
        answers.assert_no_pending_responses()
        return {}

    item = dict.fromkeys(("id", "collections", "request", "due_at", "expires_at"), ANY)
    answers.add_response("put_item", {}, {**EXPECTED, "Item": {**item, "question": {"S": "How many days?"}}})
    status, _, headers = send(
        answers, FakeStates(start_execution=start), event("POST", "/v1/questions", {"question": "How many days?"})
    )
    assert (status, headers["Retry-After"]) == (202, ["5"])


def test_a_question_that_cannot_be_made_known_is_not_started(answers: Stubber) -> None:
    answers.add_client_error("put_item", "ProvisionedThroughputExceededException")
    machines = FakeStates(start_execution={})
    assert send(answers, machines, event("POST", "/v1/questions", {"question": "How many days?"}))[0] == 503
    assert machines.asked == {}


def test_an_answer_that_came_in_the_meantime_is_not_replaced(answers: Stubber) -> None:
    answers.add_client_error("put_item", "ConditionalCheckFailedException")
    answers.add_response("get_item", {}, {**LOOKED, "Key": ANY})
    machines = FakeStates(start_sync_execution=ReadTimeoutError(endpoint_url="x"))
    assert send(answers, machines, event("POST", "/v1/ask", {"question": "How many days?"}))[0] == 202


def test_running_question_is_known_without_step_functions(answers: Stubber) -> None:
    answers.add_response("get_item", kept(due_in=60), LOOKED)
    status, body, headers = send(answers, FakeStates(), event("GET", "/v1/questions/abc"))
    unknown = dict.fromkeys(("reflection", "path", "passes", "trace", "draft", "passages"))
    at_work = {"id": "abc", "status": "running", "question": "How many days?", **unknown}
    assert (status, body, headers["Retry-After"]) == (200, at_work, ["5"])


NOT_THERE = refused("ExecutionDoesNotExist")


@pytest.mark.parametrize(
    ("due_in", "path", "replies", "status"),
    [
        (60, "/v1/questions/abc?trace=true", {"describe_execution": refused("ThrottlingException")}, "running"),
        # DescribeExecution is eventually consistent.
        (60, "/v1/questions/abc?trace=true", {"describe_execution": NOT_THERE}, "running"),
        (-1, "/v1/questions/abc", {"describe_execution": refused("ThrottlingException")}, "running"),
        (-1, "/v1/questions/abc", {"describe_execution": {"status": "RUNNING"}}, "running"),
        (-1, "/v1/questions/abc", {"describe_execution": {"status": "ABORTED"}}, "failed"),
        (-1, "/v1/questions/abc", {"describe_execution": NOT_THERE}, "failed"),
        (-1, "/v1/questions/abc?trace=true",
         {"describe_execution": {"status": "TIMED_OUT"}, "get_execution_history": refused("ThrottlingException")},
         "failed"),
    ],
)  # fmt: skip
def test_question_without_a_response_is_running_until_overdue_and_ended(
    answers: Stubber, due_in: float, path: str, replies: dict[str, Any], status: str
) -> None:
    answers.add_response("get_item", kept(due_in), LOOKED)
    got, body, headers = send(answers, FakeStates(**replies), event("GET", path))
    assert (got, body["status"], body["trace"]) == (200, status, None)
    assert ("Retry-After" in headers) == (status == "running")


def test_a_response_that_could_not_be_kept_is_shown_from_its_execution(answers: Stubber) -> None:
    answers.add_response("get_item", kept(due_in=-1), LOOKED)
    machines = FakeStates(describe_execution={"status": "SUCCEEDED", "output": json.dumps(RESPONSE)})
    assert send(answers, machines, event("GET", "/v1/questions/abc"))[:2] == (200, RESPONSE)


def test_a_question_at_work_cannot_be_followed_up(answers: Stubber) -> None:
    answers.add_response("get_item", kept(due_in=60), LOOKED)
    follow_up = event("POST", "/v1/ask", {"question": "And in May?", "previous": "abc"})
    status, body, _ = send(answers, FakeStates(), follow_up)
    assert (status, body["detail"]) == (404, "There is no such earlier answer.")


def test_time_before_lambda_start_is_deducted_from_deadline(answers: Stubber) -> None:
    machines = FakeStates(start_sync_execution={"status": "SUCCEEDED", "output": json.dumps(RESPONSE)})
    arrived = 1000 * (time.time() - 5)
    request = event("POST", "/v1/ask", {"question": "How many days?"}, requestTimeEpoch=arrived)
    status, body, headers = send(answers, machines, request)
    assert (status, body, headers["X-Request-Id"]) == (200, RESPONSE, ["gateway-1"])
    asked = machines.asked["start_sync_execution"]
    assert asked["stateMachineArn"] == EXPRESS
    assert 15 < json.loads(asked["input"])["policy"]["deadline_seconds"] <= 20


def test_without_web_search_no_request_can_switch_it_on(monkeypatch: pytest.MonkeyPatch, answers: Stubber) -> None:
    monkeypatch.setenv("SELFRAG_WEB_SEARCH", "false")
    answers.add_response("put_item", {}, EXPECTED)
    machines = FakeStates(start_execution={})
    request = event("POST", "/v1/questions", {"question": "How many days?", "policy": {"web_search": True}})
    assert send(answers, machines, request)[0] == 202
    assert json.loads(machines.asked["start_execution"]["input"])["policy"]["web_search"] is False


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        (refused("ThrottlingException"), 503),
        (refused("ExecutionLimitExceeded"), 503),
        (refused("AccessDeniedException"), 500),
        (refused("StateMachineDoesNotExist"), 500),
        (refused("InvalidExecutionInput"), 400),
        ({"status": "TIMED_OUT", "executionArn": "x"}, 503),
        (RuntimeError("SECRET"), 500),
    ],
)
def test_workflow_fault_problem_hides_deployment_details(answers: Stubber, reply: Any, status: int) -> None:
    machines = FakeStates(start_sync_execution=reply)
    got, body, headers = send(answers, machines, event("POST", "/v1/ask", {"question": "How many days?"}))
    assert (got, headers["Content-Type"]) == (status, ["application/problem+json"])
    assert "SECRET" not in json.dumps(body)
    assert "arn:" not in json.dumps(body)
    assert ("Retry-After" in headers) == (status == 503)


def test_an_execution_without_a_response_is_a_problem_that_names_the_question(answers: Stubber) -> None:
    machines = FakeStates(start_sync_execution={"status": "FAILED", "error": "ComposeFailed", "cause": "SECRET"})
    status, body, _ = send(answers, machines, event("POST", "/v1/ask", {"question": "How many days?"}))
    assert (status, "SECRET" in json.dumps(body)) == (503, False)
    assert machines.asked["start_sync_execution"]["name"] in body["detail"]


def test_pinned_machine_version_starts_and_any_version_is_found(
    answers: Stubber,
) -> None:
    machines = FakeStates(start_execution={}, describe_execution={"status": "RUNNING"}, get_execution_history=[])
    executions = StatesExecutions(machines, answers.client, machines_of(f"{EXPRESS}:3", f"{STANDARD}:7"))
    executions.start("abc", {})
    executions.snapshot("abc")
    executions.history("abc")
    assert machines.asked["start_execution"]["stateMachineArn"] == f"{STANDARD}:7"
    execution = STANDARD.replace(":stateMachine:", ":execution:") + ":abc"
    assert machines.asked["describe_execution"] == {"executionArn": execution}
    assert machines.asked["get_execution_history"]["executionArn"] == execution


def test_refused_version_is_dropped_with_a_warning(answers: Stubber, emitted: Any) -> None:
    response = {**RESPONSE, "usage": {"warnings": []}}
    called: list[str] = []
    takes_versions = False

    def start(request: Any) -> Any:
        called.append(request["stateMachineArn"])
        if request["stateMachineArn"] != EXPRESS and not takes_versions:
            raise refused("InvalidArn")
        return {"status": "SUCCEEDED", "output": json.dumps(response)}

    machines = FakeStates(start_sync_execution=start)
    executions = StatesExecutions(machines, answers.client, machines_of(f"{EXPRESS}:3", f"{STANDARD}:7"))
    asked = event("POST", "/v1/ask", {"question": "How many days?"})
    with bootstrap.using(executions=executions, bindings=LocalBindings("documents")):
        for _ in range(2):
            reply = handler(asked, CONTEXT)
            assert (reply["statusCode"], json.loads(reply["body"])["usage"]["warnings"]) == (200, [UNVERSIONED])
            assert emitted()["UnversionedAsks", (("step", "ask"),)] == 1
    assert called == [f"{EXPRESS}:3", EXPRESS, EXPRESS]

    takes_versions = True
    called.clear()
    again = StatesExecutions(machines, answers.client, machines_of(f"{EXPRESS}:3", f"{STANDARD}:7"))
    assert again.answer("abc", {}) == response
    assert called == [f"{EXPRESS}:3"]
    assert emitted() == {}


def test_a_failed_execution_is_shown_with_its_path_and_trace(answers: Stubber) -> None:
    answers.add_response("get_item", kept(due_in=60), LOOKED)
    step = {"timestamp": "2026-01-01T00:00:00+00:00", "stateEnteredEventDetails": {"name": "Generate"}}
    machines = FakeStates(
        describe_execution={"status": "FAILED"},
        get_execution_history=[{"events": [{"id": 1, "type": "TaskStateEntered", **step}]}],
    )
    status, body, _ = send(answers, machines, event("GET", "/v1/questions/abc?trace=true"))
    assert (status, body["status"], body["path"], len(body["trace"])) == (200, "failed", ["Generate"], 1)


def test_unreadable_answers_table_returns_503_not_404(answers: Stubber) -> None:
    answers.add_client_error("get_item", "ProvisionedThroughputExceededException")
    assert send(answers, FakeStates(), event("GET", "/v1/questions/abc"))[0] == 503


@pytest.mark.parametrize("asked_under", [(), ("documents2",), ("documents", "b")])
def test_running_question_without_proof_of_access_is_not_found(answers: Stubber, asked_under: tuple[str, ...]) -> None:
    answers.add_response("get_item", kept(60, asked_under), LOOKED)
    assert send(answers, FakeStates(), event("GET", "/v1/questions/abc?trace=true"))[0] == 404


def test_an_execution_that_ended_without_a_response_has_failed() -> None:
    failed = Step("Retrieve", started=0.1, seconds=2.0, attempts=4, task={}, result=None, error="Misconfigured")
    view = unfinished("abc", "failed", [failed])
    assert view.trace
    assert (view.status, view.path) == ("failed", ["Retrieve"])
    assert (view.trace[0].error, view.trace[0].attempts, view.trace[0].finished) == ("Misconfigured", 4, False)


def test_found_passages_are_listed_once_without_text() -> None:
    place = {"document": "leave.md", "heading": "Leave", "page": 2, "locator": "page ii"}
    one, two = ({"passage_id": name, "text": "SECRET", "new_field": 1, "score": 0.5, **place} for name in "ab")
    took: dict[str, Any] = {"started": 0.1, "seconds": 2.0, "attempts": 1, "task": {}, "error": ""}
    steps = [
        Step("Retrieve", result={"passages": [one]}, **took),
        Step("SearchWeb", result={"passages": [one, two]}, **took),
        Step("Retrieve", result=None, **took),
    ]
    view = unfinished("abc", "running", steps)
    assert [found.model_dump() for found in view.passages or []] == [
        {"passage_id": name, "score": 0.5, **place} for name in "ab"
    ]
    assert "SECRET" not in view.model_dump_json()


def test_failed_step_cause_is_shown_to_operators_not_callers() -> None:
    told = {"errorMessage": "api.example.com:443 refused the key: status 401", "errorType": "Misconfigured"}
    failure = {"error": "Misconfigured", "cause": json.dumps({**told, "requestId": "r", "stackTrace": ["line 1"]})}
    entered = {"name": "Retrieve", "input": "{}"}
    events: list[dict[str, Any]] = [
        {"type": "ExecutionStarted", "executionStartedEventDetails": {"input": "{}"}},
        {"type": "TaskStateEntered", "stateEnteredEventDetails": entered},
        {"type": "TaskScheduled", "taskScheduledEventDetails": {"parameters": "{}"}},
        {"type": "TaskFailed", "taskFailedEventDetails": failure},
    ]
    for number, one in enumerate(events, start=1):
        one |= {"id": number, "previousEventId": number - 1, "timestamp": f"2026-11-21T12:00:0{number}Z"}
    (step,) = steps_of(events)
    assert (step.error, step.cause) == ("Misconfigured", told["errorMessage"])
    assert "refused the key" not in unfinished("abc", "running", [step]).model_dump_json()


def test_wrong_settings_are_told_to_the_log_and_not_to_the_caller(
    monkeypatch: pytest.MonkeyPatch, answers: Stubber
) -> None:
    monkeypatch.setenv("SELFRAG_EXPRESS_MACHINE_ARN", "nonsense")
    status, body, _ = send(answers, FakeStates(), event("POST", "/v1/ask", {"question": "How many days?"}))
    assert status == 500
    assert "SELFRAG_" not in json.dumps(body)


def test_the_committed_description_is_fresh() -> None:
    assert DESCRIPTION.read_text(encoding="utf-8") == description(), "run `make openapi`"


# Names that a generated client defines itself, apart from the models.
TAKEN = {"Response", "Client", "AuthenticatedClient", "HTTPStatus", "UnexpectedStatus"}


def test_description_has_only_sent_statuses_and_no_reserved_names() -> None:
    described = json.loads(DESCRIPTION.read_text(encoding="utf-8"))
    schemas = described["components"]["schemas"]
    assert not TAKEN & {*schemas, *(schema.get("title") for schema in schemas.values())}
    assert not [name for name in schemas if f'"#/components/schemas/{name}"' not in json.dumps(described)]
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            assert "422" not in operation["responses"], path
            assert ("415" in operation["responses"]) == ("requestBody" in operation) == (method == "post"), path


def test_knowledge_base_deployment_rejects_uploads_and_names_data_source(
    answers: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SELFRAG_UPLOADS", "false")
    status, body, _ = send(
        answers, FakeStates(), event("POST", "/v1/documents", {"key": "documents/leave.md", "size": 1})
    )
    assert status == 400
    assert "add the document to its data source" in body["detail"]
