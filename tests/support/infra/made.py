"""Checks of a deployment's state: what terraform made, held against the rules."""

import json
import re
from typing import Any

from tests.support.infra.metrics import REPORTED
from tests.support.infra.rules import FUNCTIONS, ROLES, handler_files, listed_permissions, local_values, text_of
from tests.support.infra.tools import ROOT
from tests.support.roles.policies import exported, policies_of

Resources = dict[str, dict[str, Any]]

# The machines that answer questions, by their keys in machines.tf; the two of a definition have one name on the page.
_ON_THE_PAGE = {role: name for name, roles in ROLES.items() for role in roles}

# AWS has no resource for these.
WITHOUT_A_RESOURCE = {
    "cloudwatch:PutMetricData",
    "xray:GetSamplingRules",
    "xray:GetSamplingTargets",
    "xray:PutTelemetryRecords",
    "xray:PutTraceSegments",
    "logs:CreateLogDelivery",
    "logs:DeleteLogDelivery",
    "logs:DescribeLogGroups",
    "logs:DescribeResourcePolicies",
    "logs:GetLogDelivery",
    "logs:ListLogDeliveries",
    "logs:PutResourcePolicy",
    "logs:UpdateLogDelivery",
    "textract:GetDocumentTextDetection",
    "textract:StartDocumentTextDetection",
}


def everything_is_made(resources: Resources) -> None:
    kinds = {address.split(".")[0] for address in resources}
    assert 150 < len(resources) <= 240
    assert {"aws_cloudformation_stack", "aws_sfn_state_machine", "aws_api_gateway_stage"} <= kinds
    handlers = {function["handler"] for function in of_kind(resources, "aws_lambda_function")}
    modules = {".".join(file.relative_to(FUNCTIONS).with_suffix("").parts) for file in handler_files()}
    assert handlers == {f"{module}.handler" for module in modules}


def no_output_and_no_secret_holds_a_key(resources: Resources, outputs: dict[str, Any]) -> None:
    [key] = of_kind(resources, "aws_api_gateway_api_key")
    assert len(key["value"]) >= 20
    assert key["value"] not in json.dumps(outputs)
    assert key["id"] in outputs["api_key_command"]
    assert of_kind(resources, "aws_secretsmanager_secret_version") == []
    assert set(outputs["secret_commands"]) == {"anthropic", "tavily"}


def every_action_is_named_and_has_its_resource(resources: Resources) -> None:
    statements = [
        (address, statement)
        for address, values in resources.items()
        if "Statement" in str(values.get("policy"))
        for statement in listed(json.loads(values["policy"])["Statement"])
    ]
    assert len(statements) > 40
    for address, statement in statements:
        actions = listed(statement["Action"])
        assert not [action for action in actions if "*" in action], address
        if "*" in listed(statement["Resource"]):
            assert set(actions) <= WITHOUT_A_RESOURCE, f"{address}: {actions}"


def each_role_allows_what_the_page_of_permissions_lists(resources: Resources) -> None:
    page = listed_permissions()
    for address, values in resources.items():
        if address.startswith("aws_iam_role_policy."):
            statements = json.loads(values["policy"])["Statement"]
            allowed = {action for statement in statements for action in listed(statement["Action"])}
            # .step["generate"], .machine["express"], .events
            name, _, each = address.removeprefix("aws_iam_role_policy.").partition("[")
            role = each.strip('"]') or name
            assert allowed == page[_ON_THE_PAGE.get(role, role)], address


def the_roles_are_those_that_the_tests_enforce(resources: Resources) -> None:
    assert policies_of(resources) == exported(), "write them anew: python -m tests.support.roles.export"


def everything_names_versions(resources: Resources) -> None:
    """Check that a definition and `ask` name versions, so that nothing of another release runs in their place."""
    machines = of_kind(resources, "aws_sfn_state_machine")
    invoked = [
        arn for machine in machines for arn in re.findall(r'"(arn:[^"]+:function:[^"]+)"', machine["definition"])
    ]
    assert len(invoked) > 16
    assert [arn for arn in invoked if not re.fullmatch(r".*:function:selfrag-\w+:\d+", arn)] == []
    named = resources["aws_lambda_function.ask"]["environment"][0]["variables"]
    for machine in _ON_THE_PAGE:
        version = resources[f'aws_sfn_state_machine.machine["{machine}"]']["state_machine_version_arn"]
        assert re.fullmatch(rf".*:stateMachine:selfrag-{machine}:\d+", version)
        assert named[f"SELFRAG_{machine.upper().replace('-', '_')}_MACHINE_ARN"] == version
    [machines] = [block["machines"] for block in local_values(text_of(ROOT / "infra")) if "machines" in block]
    assert json.loads(named["SELFRAG_RELEASE"]).keys() == machines.keys()
    for step in ("stream", "agents", "retrieve"):
        version = resources[f'aws_lambda_function.step["{step}"]']["version"]
        assert named[f"SELFRAG_{step.upper()}_VERSION"] == version


def what_comes_from_outside_goes_to_the_release_that_is_live(resources: Resources) -> None:
    uris = {each["uri"] for each in _integrations(resources).values() if each["type"] == "aws_proxy"}
    called = {uri.partition(":function:")[2] for uri in uris}
    streamed = "selfrag-stream:live/response-streaming-invocations"
    assert called == {"selfrag-ask:live/invocations", "selfrag-agents:live/invocations", streamed}
    permissions = {(each["function_name"], each["qualifier"]) for each in of_kind(resources, "aws_lambda_permission")}
    live = {(f"selfrag-{step}", "live") for step in ("ask", "stream", "agents")}
    # The authorizer is not part of a release.
    assert {(name, qualifier or "") for name, qualifier in permissions} == {*live, ("selfrag-authorize", "")}
    targets = of_kind(resources, "aws_cloudwatch_event_target")
    assert len(targets) == 3
    assert all(target["arn"].endswith(":stateMachine:selfrag-intake:live") for target in targets)
    for machine, started in [("intake", "ingestion"), ("intake", "intake"), ("reindex", "ingestion")]:
        definition = resources[f'aws_sfn_state_machine.machine["{machine}"]']["definition"]
        assert f":stateMachine:selfrag-{started}:live" in definition


def alarms_and_widgets_use_metrics_that_are_emitted(resources: Resources) -> None:
    alarms = of_kind(resources, "aws_cloudwatch_metric_alarm")
    assert len(alarms) <= 23, "more than a person reads"
    used = [metric for alarm in alarms for metric in metrics_of(alarm)]
    [dashboard] = of_kind(resources, "aws_cloudwatch_dashboard")
    for widget in json.loads(dashboard["dashboard_body"])["widgets"]:
        for metric in widget["properties"]["metrics"]:
            names = [part for part in metric if isinstance(part, str)]
            if names:
                used.append((names[0], names[1], frozenset(names[2::2])))
    ours = [(metric, dimensions) for namespace, metric, dimensions in used if namespace == "selfrag"]
    assert [each for each in ours if REPORTED.get(each[0]) != each[1]] == []
    assert len(ours) > 40
    assert all(namespace == "selfrag" or namespace.startswith("AWS/") for namespace, _, _ in used)


def metrics_of(alarm: dict[str, Any]) -> list[tuple[str, str, frozenset[str]]]:
    """Return what an alarm looks at: namespace, name and dimensions of its metric, its parts, or its query."""
    if alarm["metric_name"]:
        return [(alarm["namespace"], alarm["metric_name"], frozenset(alarm["dimensions"]))]
    parts = [part for query in alarm["metric_query"] for part in query["metric"]]
    [watched] = [query["expression"] for query in alarm["metric_query"] if query["return_data"]]
    if parts:
        assert watched.startswith(("MAX(METRICS())", "IF(m0 >= 3, 100 * m0 / m1,"))
        assert len(parts) <= 10, "AWS takes ten metrics at the most"
        return [(part["namespace"], part["metric_name"], frozenset(part["dimensions"])) for part in parts]
    found = re.fullmatch(r'SELECT SUM\((\w+)\) FROM SCHEMA\("(.+)", (\w+)\) GROUP BY \3 ORDER BY SUM\(\) DESC', watched)
    assert found, watched
    return [(found[2], found[1], frozenset({found[3]}))]


def errors_of_the_gateway_are_problem_details(resources: Resources) -> None:
    answers = _body(resources)["x-amazon-apigateway-gateway-responses"]
    assert len(answers) > 10
    for kind, answer in answers.items():
        problem = json.loads(answer["responseTemplates"]["application/json"])
        assert set(problem) == {"type", "title", "status", "detail", "hint", "request_id"}
        assert str(problem["status"]) == answer["statusCode"]
        headers = answer["responseParameters"]
        assert headers["gatewayresponse.header.Content-Type"] == "'application/problem+json'"
        # Exhausted concurrency is an integration failure, like a missing permission.
        if kind in ("THROTTLED", "INTEGRATION_FAILURE"):
            status = 429 if kind == "THROTTLED" else 503
            assert (problem["status"], "gatewayresponse.header.Retry-After" in headers) == (status, True)


def whom_anybody_may_call_costs_little(resources: Resources) -> None:
    mocks = [route for route, each in _integrations(resources).items() if each["type"] == "mock"]
    assert mocks == [("/v1/health", "get")]
    # AWS answers 500 where a reply of a mock has a status that its method does not declare.
    for path, method in mocks:
        route = _body(resources)["paths"][path][method]
        replies = route["x-amazon-apigateway-integration"]["responses"].values()
        assert {reply["statusCode"] for reply in replies} <= route["responses"].keys()
    settings = {
        each["method_path"]: each["settings"][0] for each in of_kind(resources, "aws_api_gateway_method_settings")
    }
    for path, methods in _body(resources)["paths"].items():
        for method, route in methods.items():
            if not route["security"]:
                own = settings[f"{path.replace('/', '~1')}/{method.upper()}"]
                assert own["throttling_rate_limit"] < settings["*/*"]["throttling_rate_limit"] / 10, path


def _body(resources: Resources) -> Any:
    return json.loads(resources["aws_api_gateway_rest_api.api"]["body"])


def _integrations(resources: Resources) -> dict[tuple[str, str], Any]:
    """Return what answers each method of a path."""
    paths = _body(resources)["paths"]
    return {
        (path, method): of["x-amazon-apigateway-integration"] for path in paths for method, of in paths[path].items()
    }


def of_kind(resources: Resources, kind: str) -> list[dict[str, Any]]:
    """Return the attributes of all resources of a kind."""
    return [values for address, values in resources.items() if address.startswith(f"{kind}.")]


def listed(value: Any) -> list[Any]:
    """Return a policy's value, which may be a text or a list of them."""
    return value if isinstance(value, list) else [value]
