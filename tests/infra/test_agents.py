"""The tools of agents, planned without AWS: a route, a function and its permissions if enabled, else none."""

import json
from typing import Any

import pytest

from tests.support.infra.made import of_kind
from tests.support.infra.planned import Plan, Planner

FUNCTION = 'aws_lambda_function.step["agents"]'


@pytest.fixture
def serving_agents(planned: Planner) -> Plan:
    return planned(agents=True)


def test_post_needs_a_key_and_the_api_refuses_other_methods(serving_agents: Plan) -> None:
    route = paths(serving_agents)["/mcp"]
    assert route.keys() == {"post", "x-amazon-apigateway-any-method"}
    assert [of["security"] for of in route.values()] == [[{"api_key": [], "caller": []}]] * 2
    permissions = of_kind(serving_agents.resources, "aws_lambda_permission")
    assert {each["function_name"] for each in permissions} == {"selfrag-ask", "selfrag-agents", "selfrag-authorize"}


def test_unless_it_is_chosen_there_is_nothing_of_it(planned: Planner, serving_agents: Plan) -> None:
    usual = planned()
    assert "/mcp" not in paths(usual)
    assert not [address for address in usual.resources if "agents" in address or "protocol" in address]
    more = {address for address in serving_agents.resources.keys() - usual.resources.keys() if address[:5] != "data."}
    kinds = ("aws_iam_role.step", "aws_iam_role_policy.step", "aws_cloudwatch_log_group.step")
    live = {f'aws_lambda_alias.agents["{step}"]' for step in ("agents", "retrieve")}
    layer = 'aws_lambda_layer_version.layer["protocol"]'
    assert more == {FUNCTION, layer, "aws_lambda_permission.agents[0]", *(f'{kind}["agents"]' for kind in kinds), *live}


def test_no_other_function_has_the_library_of_the_protocol(serving_agents: Plan) -> None:
    assert len(serving_agents.resources[FUNCTION]["layers"]) == 2
    # The readers' layer is that of two.
    others = [each for each in serving_agents.functions if each["function_name"] != "selfrag-agents"]
    assert sorted(len(each["layers"]) for each in others)[-3:] == [1, 2, 2]


def test_it_may_invoke_two_functions_and_read_bindings_and_nothing_else(serving_agents: Plan) -> None:
    statements = serving_agents.allowed['step["agents"]']
    logs = {"logs:CreateLogStream", "logs:PutLogEvents", "xray:PutTraceSegments", "xray:PutTelemetryRecords"}
    own = {"lambda:InvokeFunction", "dynamodb:GetItem", "dynamodb:BatchGetItem"}
    assert {action for each in statements for action in each["actions"]} == logs | own
    [invoked] = [each["resources"] for each in statements if "lambda:InvokeFunction" in each["actions"]]
    assert {arn.partition(":function:")[2] for arn in invoked} == {"selfrag-ask:live", "selfrag-retrieve:live"}


def test_key_limit_allows_four_mcp_messages_per_question(planned: Planner) -> None:
    plan = planned(agents=True, account_concurrency=100)
    settings = {
        each["method_path"]: each["settings"][0] for each in of_kind(plan.resources, "aws_api_gateway_method_settings")
    }
    [usage] = of_kind(plan.resources, "aws_api_gateway_usage_plan")
    keys = {each["path"]: each for stage in usage["api_stages"] for each in stage["throttle"]}
    for limit in ("throttling_rate_limit", "throttling_burst_limit"):
        assert settings["~1mcp/POST"][limit] == 4 * settings["~1v1~1ask/POST"][limit]
    for limit in ("rate_limit", "burst_limit"):
        assert keys["/mcp/POST"][limit] == 4 * keys["/v1/ask/POST"][limit]


def paths(plan: Plan) -> dict[str, Any]:
    """Return the API's methods by path, as API Gateway is given them."""
    methods: dict[str, Any] = json.loads(plan.resources["aws_api_gateway_rest_api.api"]["body"])["paths"]
    return methods
