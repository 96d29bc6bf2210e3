"""Strategies that a deployment does not offer, and deadlines."""

import json
import time
from typing import Any

import boto3
import pytest
from botocore.stub import Stubber

from tests.unit.api.test_ask import (
    EXPECTED,
    EXPRESS,
    LOOKED,
    MACHINES,
    RESPONSE,
    STANDARD,
    FakeStates,
    event,
    kept,
    refused,
    send,
)


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Yield the table of answers, as a stub."""
    client = boto3.client("dynamodb", region_name="us-east-1", aws_access_key_id="a", aws_secret_access_key="b")
    monkeypatch.setenv("SELFRAG_EXPRESS_MACHINE_ARN", EXPRESS)
    monkeypatch.setenv("SELFRAG_STANDARD_MACHINE_ARN", STANDARD)
    with Stubber(client) as stub:
        yield stub


def asking(path: str, **policy: Any) -> dict[str, Any]:
    return event("POST", path, {"question": "How many days?", "policy": policy})


def answering() -> FakeStates:
    return FakeStates(
        start_sync_execution={"status": "SUCCEEDED", "output": json.dumps(RESPONSE)},
        start_execution={},
        describe_execution={"status": "RUNNING"},
        get_execution_history=[{"events": []}],
    )


def test_a_question_whose_machine_is_gone_has_failed_when_it_is_overdue(answers: Stubber) -> None:
    answers.add_response("get_item", kept(due_in=-1), LOOKED)
    states = FakeStates(describe_execution=refused("InvalidArn"))
    assert send(answers, states, event("GET", "/v1/questions/abc"), MACHINES)[1]["status"] == "failed"


def test_waiting_for_tree_is_refused_with_alternative_endpoint(answers: Stubber) -> None:
    status, body, _ = send(answers, FakeStates(), asking("/v1/ask", strategy="segments"), MACHINES)
    assert (status, "segments" in body["detail"], "POST /v1/questions" in body["hint"]) == (400, True, True)


def test_waiting_uses_gateway_deadline_and_polling_uses_strategy_deadline(
    answers: Stubber,
) -> None:
    states = answering()
    arrived = asking("/v1/ask", strategy="candidates")
    arrived["requestContext"]["requestTimeEpoch"] = 1000 * time.time()
    assert send(answers, states, arrived, MACHINES)[0] == 200
    waited = json.loads(states.asked["start_sync_execution"]["input"])["policy"]["deadline_seconds"]
    assert 20 < waited <= 25
    answers.add_response("put_item", {}, EXPECTED)
    assert send(answers, states, asking("/v1/questions", strategy="candidates"), MACHINES)[0] == 202
    assert json.loads(states.asked["start_execution"]["input"])["policy"]["deadline_seconds"] == 180


def test_deadline_beyond_gateway_limit_is_refused_when_waiting(answers: Stubber) -> None:
    asked = asking("/v1/ask", strategy="candidates", deadline_seconds=60)
    status, body, _ = send(answers, FakeStates(), asked, MACHINES)
    assert (status, "POST /v1/questions gives more time" in body["detail"]) == (400, True)
