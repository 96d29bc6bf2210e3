"""Limits of dollars and of time through the whole workflow."""

import time
from collections.abc import Callable
from typing import Any

import boto3
import pytest

from tests.support.aws.resources import REQUESTS_TABLE
from tests.support.doubles.model_server import ModelServer
from tests.support.serving import ASK, finished, problem, serving_api


def committed() -> float:
    """Return the dollars that are spent or reserved."""
    items: list[dict[str, Any]] = boto3.client("dynamodb").scan(TableName=REQUESTS_TABLE)["Items"]
    return sum(int(item["committed"]["N"]) for item in items if item["id"]["S"].startswith("spending#")) / 1_000_000


@pytest.mark.parametrize("path", ["/v1/ask", "/v1/questions"])
def test_a_question_reserves_its_limit_and_counts_its_cost_at_its_end(path: str) -> None:
    with ModelServer() as model, serving_api(model, SELFRAG_DAILY_MAX_USD="1", SELFRAG_MAX_COST_USD="0.9") as api:
        reserved: list[float] = []
        model.answers["grade_utility"] = lambda body: (
            reserved.append(committed()),
            {"reason": "It answers.", "score": 5},
        )[1]
        spent = 0.0
        for _ in range(2):
            reply = api.post(path, json={**ASK, "policy": {"web_search": False, "cache": False}})
            answer = finished(api, f"/v1/questions/{reply.json()['id']}")
            assert (answer["status"], answer["usage"]["cost_usd"] > 0) == ("answered", True)
            spent += answer["usage"]["cost_usd"]
            assert committed() == pytest.approx(spent, abs=1e-9)
        assert max(reserved) > 0.9
        problem(api.post(path, json={**ASK, "policy": {"max_cost_usd": 1}}), 429)


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/responses"])
def test_openai_client_gets_rate_limit_error_at_daily_cap(path: str) -> None:
    body = {"model": "selfrag", "messages": [{"role": "user", "content": ASK["question"]}], "input": ASK["question"]}
    with ModelServer() as model, serving_api(model, SELFRAG_DAILY_MAX_USD="1", SELFRAG_MAX_COST_USD="1") as api:
        assert api.post(path, json=body).status_code == 200
        refused = api.post(path, json=body)
        assert (refused.status_code, refused.json()["error"]["type"]) == (429, "rate_limit_error")
        assert int(refused.headers["retry-after"]) > 0


def test_stalled_model_does_not_delay_acceptance_or_exceed_the_deadline(
    record_property: Callable[[str, str], None],
) -> None:
    with ModelServer(fault=lambda step, n: "timeout") as stalled, serving_api(stalled) as api:
        # The model replies to nothing, so whatever comes back did not wait for it.
        started = time.monotonic()
        assert api.post("/v1/questions", json=ASK).status_code == 202
        taken = time.monotonic()
        reply = api.post("/v1/ask", json={**ASK, "policy": {"web_search": False, "deadline_seconds": 3}})
        ended = time.monotonic()
    assert (reply.status_code, reply.json()["status"]) == (200, "partial")
    assert "The deadline was reached." in reply.json()["usage"]["warnings"]
    figures = f"with a stalled model: 202 after {taken - started:.3f} s; partial after {ended - taken:.2f} s of 3 s"
    record_property("figures", figures)
