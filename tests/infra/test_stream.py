"""The stream of a question's events, planned without AWS: a route, a function and its copies if chosen, else none."""

import json
from typing import Any

import pytest

from tests.support.infra.made import of_kind
from tests.support.infra.planned import Plan, Planner

PATH = "/v1/questions/{question_id}/events"
FUNCTION = 'aws_lambda_function.step["stream"]'
# A sixth of it, 21, is reserved for `ask`, and AWS keeps 100.
LEAST = 131


@pytest.fixture
def streaming(planned: Planner) -> Plan:
    return planned(stream_events=True, account_concurrency=LEAST)


def test_the_gateway_sends_on_what_the_function_streams_as_long_as_the_function_may_take(streaming: Plan) -> None:
    route = paths(streaming)[PATH]
    listened = route["get"]["x-amazon-apigateway-integration"]
    assert (listened["type"], listened["responseTransferMode"]) == ("aws_proxy", "STREAM")
    assert ":lambda:path/2021-11-15/functions/" in listened["uri"]
    assert listened["uri"].endswith("/response-streaming-invocations")
    assert listened["timeoutInMillis"] == 1000 * streaming.resources[FUNCTION]["timeout"]
    assert route["get"]["security"] == [{"api_key": []}]
    # The other methods are refused by the same function, as the laptop refuses them.
    assert {of["x-amazon-apigateway-integration"]["uri"] for of in route.values()} == {listened["uri"]}


def test_no_other_route_is_streamed(streaming: Plan) -> None:
    others = [of for path, methods in paths(streaming).items() if path != PATH for of in methods.values()]
    assert others
    assert not [of for of in others if "responseTransferMode" in of["x-amazon-apigateway-integration"]]


def test_listeners_have_copies_of_their_own_and_may_name_how_many(planned: Planner, streaming: Plan) -> None:
    assert streaming.resources[FUNCTION]["reserved_concurrent_executions"] == 10
    chosen = planned(stream_events=True, reserved_concurrency={"stream": 3})
    assert chosen.resources[FUNCTION]["reserved_concurrent_executions"] == 3


@pytest.mark.parametrize("limit", [None, LEAST - 1])
def test_where_no_room_is_left_for_them_the_plan_is_refused(planned: Planner, limit: int | None) -> None:
    with pytest.raises(AssertionError, match="Resource precondition failed"):
        planned(stream_events=True, account_concurrency=limit)


def test_an_alarm_tells_of_its_errors_and_none_of_listeners_that_were_refused(streaming: Plan) -> None:
    watching = {
        part["metric_name"]: alarm["alarm_description"]
        for alarm in of_kind(streaming.resources, "aws_cloudwatch_metric_alarm")
        for query in alarm["metric_query"]
        for part in query["metric"]
        if part["dimensions"].get("FunctionName") == "selfrag-stream"
    }
    assert watching.keys() == {"Errors"}
    assert "stream" in watching["Errors"]


def test_unless_it_is_chosen_there_is_no_route_and_no_function(planned: Planner) -> None:
    usual = planned()
    assert PATH not in paths(usual)
    assert not [address for address in usual.resources if "stream" in address]


def paths(plan: Plan) -> dict[str, Any]:
    """Return the API's methods by path, as API Gateway is given them."""
    found: dict[str, Any] = json.loads(plan.resources["aws_api_gateway_rest_api.api"]["body"])["paths"]
    return found
