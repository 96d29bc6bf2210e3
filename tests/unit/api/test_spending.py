"""The daily cap at the API: the reservation of a question, and the response when the cap is reached."""

import json
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
import time_machine
from botocore.exceptions import ClientError, ReadTimeoutError
from moto import mock_aws

from selfrag import bootstrap
from selfrag.adapters.executions import StatesExecutions
from selfrag.api.handler import handler
from selfrag_cli.local.stores.bindings import LocalBindings
from tests.support.aws.resources import REQUESTS_TABLE, TABLES, make
from tests.unit.api.test_ask import CONTEXT, EXPRESS, STANDARD, FakeStates, event, machines_of

PATHS = ["/v1/ask", "/v1/questions"]
THROTTLED = ClientError(
    {"Error": {"Code": "ThrottlingException"}, "ResponseMetadata": {"HTTPStatusCode": 400}}, "Start"
)
BROKEN = ClientError({"Error": {"Code": "InternalError"}, "ResponseMetadata": {"HTTPStatusCode": 500}}, "Start")


class Service:
    """The API over tables of moto, with machines that answer at once."""

    def __init__(self) -> None:
        ended = {"status": "SUCCEEDED", "output": json.dumps({"id": "abc", "status": "answered"})}
        self.states = FakeStates(start_execution={}, start_sync_execution=ended)
        machines = machines_of(answers=TABLES["answers_table"][0])
        self.executions = StatesExecutions(self.states, boto3.client("dynamodb"), machines)

    def ask(self, path: str, key: str = "", **policy: Any) -> tuple[int, Any, dict[str, list[str]]]:
        request = event("POST", path, {"question": "How many days?", "policy": policy})
        request["headers"] |= {"idempotency-key": key} if key else {}
        with bootstrap.using(executions=self.executions, bindings=LocalBindings("documents")):
            reply = handler(request, CONTEXT)
        return reply["statusCode"], json.loads(reply["body"]), reply["multiValueHeaders"]

    def fail(self, error: Exception) -> None:
        self.states.replies |= dict.fromkeys(self.states.replies, error)

    def committed(self) -> int:
        """Return the spent and reserved amount, in millionths of a dollar."""
        items = boto3.client("dynamodb").scan(TableName=REQUESTS_TABLE)["Items"]
        return sum(int(item["committed"]["N"]) for item in items if item["id"]["S"].startswith("spending#"))


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    monkeypatch.setenv("SELFRAG_EXPRESS_MACHINE_ARN", EXPRESS)
    monkeypatch.setenv("SELFRAG_STANDARD_MACHINE_ARN", STANDARD)
    monkeypatch.setenv("SELFRAG_MAX_COST_USD", "0.05")
    monkeypatch.setenv("SELFRAG_DAILY_MAX_USD", "0.12")
    with mock_aws(), time_machine.travel("2026-11-27T21:30:00.5Z", tick=False):
        make()
        yield Service()


@pytest.mark.parametrize("path", PATHS)
def test_a_question_past_the_daily_cap_is_refused_until_the_day_ends(service: Service, path: str) -> None:
    assert [service.ask(path)[0] < 300 for _ in range(2)] == [True, True]
    service.states.asked.clear()
    status, problem, headers = service.ask(path)
    assert (status, headers["Retry-After"]) == (429, ["9000"])
    assert "daily limit" in problem["detail"]
    assert "2026-11-28T00:00:00Z" in problem["detail"]
    assert service.states.asked == {}
    # The remainder is enough for a smaller question.
    assert service.ask(path, max_cost_usd=0.02)[0] < 300
    assert service.committed() == 120_000
    with time_machine.travel("2026-11-28T00:00:00.5Z", tick=False):
        assert service.ask(path)[0] < 300


@pytest.mark.parametrize("path", PATHS)
def test_repeated_question_reserves_nothing_and_refused_one_restarts_next_day(service: Service, path: str) -> None:
    first = service.ask(path, "key")
    assert [service.ask(path, "key")[0] for _ in range(3)] == [first[0]] * 3 if path == PATHS[1] else True
    assert service.committed() == 50_000
    assert service.ask(path, max_cost_usd=0.07)[0] < 300
    assert service.ask(path, "refused")[0] == 429
    with time_machine.travel("2026-11-28T12:00:00Z", tick=False):
        assert service.ask(path, "refused")[0] < 300


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    ("error", "committed"), [(THROTTLED, 0), (BROKEN, 50_000), (ReadTimeoutError(endpoint_url=""), 50_000)]
)
def test_only_a_start_that_is_refused_gives_its_dollars_back(
    service: Service, path: str, error: Exception, committed: int
) -> None:
    service.fail(error)
    assert service.ask(path)[0] in (202, 503)
    assert service.committed() == committed


def test_a_limit_that_no_day_has_is_a_fault_of_the_request(service: Service) -> None:
    status, problem, _ = service.ask("/v1/ask", max_cost_usd=0.5)
    assert (status, "at most 0.12" in problem["detail"]) == (400, True)
    assert service.committed() == 0


def test_without_a_daily_cap_nothing_is_written_for_it(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SELFRAG_DAILY_MAX_USD")
    for path in PATHS * 2:
        assert service.ask(path)[0] < 300
    assert boto3.client("dynamodb").scan(TableName=REQUESTS_TABLE)["Items"] == []
