"""Streamed replies of POST /v1/ask, planned without AWS: by a separate function if enabled, else none."""

import json
from typing import Any

import pytest

from selfrag.domain.policy import MAX_DEADLINE_SECONDS
from tests.support.infra.planned import Plan, Planner

ASK = ("post", "/v1/ask")
STREAMED = {ASK, ("post", "/v1/chat/completions"), ("post", "/v1/responses")}
FUNCTION = 'aws_lambda_function.step["stream"]'


@pytest.fixture
def streaming(planned: Planner) -> Plan:
    return planned(stream_events=True)


def test_gateway_streams_for_longest_question_duration(streaming: Plan) -> None:
    integration, usual = integrations(streaming)[ASK], integrations(streaming)["post", "/v1/questions"]
    assert (integration["type"], integration["responseTransferMode"]) == ("aws_proxy", "STREAM")
    assert ":lambda:path/2021-11-15/functions/" in integration["uri"]
    assert integration["uri"].endswith("/response-streaming-invocations")
    seconds = streaming.resources[FUNCTION]["timeout"]
    assert integration["timeoutInMillis"] == 1000 * seconds
    # API Gateway streams for 15 minutes.
    assert MAX_DEADLINE_SECONDS + 30 <= seconds <= 900
    assert streaming.resources[FUNCTION]["memory_size"] >= 1024
    assert "responseTransferMode" not in usual


def test_only_named_methods_stream_and_all_require_key(planned: Planner, streaming: Plan) -> None:
    streamed, usual = integrations(streaming), integrations(planned())
    assert {method for method, of in streamed.items() if of != usual[method]} == STREAMED
    assert methods(streaming)[ASK]["security"] == [{"api_key": [], "caller": []}]


def test_the_function_may_do_nothing_but_let_the_live_release_answer(streaming: Plan) -> None:
    invoked = [each for each in streaming.allowed['step["stream"]'] if "lambda:InvokeFunction" in each["actions"]]
    assert [arn.partition(":function:")[2] for each in invoked for arn in each["resources"]] == ["selfrag-ask:live"]
    assert not {
        action
        for each in streaming.allowed['step["stream"]']
        for action in each["actions"]
        if action.partition(":")[0] not in ("lambda", "logs", "xray")
    }


def test_a_streamed_question_counts_twice_in_what_the_account_carries(planned: Planner) -> None:
    rates = [
        planned(account_concurrency=1000, stream_events=chosen).resources[
            'aws_api_gateway_method_settings.all["~1v1~1ask/POST"]'
        ]["settings"][0]["throttling_rate_limit"]
        for chosen in (False, True)
    ]
    assert 0 < rates[1] < 0.6 * rates[0]


def test_unless_it_is_chosen_there_is_no_such_function(planned: Planner) -> None:
    usual = planned()
    assert "responseTransferMode" not in integrations(usual)[ASK]
    assert not [address for address in usual.resources if "stream" in address]


def methods(plan: Plan) -> dict[tuple[str, str], Any]:
    """Return the API's methods, as API Gateway is given them."""
    paths = json.loads(plan.resources["aws_api_gateway_rest_api.api"]["body"])["paths"]
    return {(method, path): body for path, bodies in paths.items() for method, body in bodies.items()}


def integrations(plan: Plan) -> dict[tuple[str, str], Any]:
    return {method: body["x-amazon-apigateway-integration"] for method, body in methods(plan).items()}
