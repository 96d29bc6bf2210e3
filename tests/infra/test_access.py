"""How callers reach the API and show who they are: private endpoints, a domain, client certificates, authorizers."""

import json
from typing import Any

import pytest

from tests.support.infra.planned import Plan, Planner
from tests.support.infra.tools import can_decide
from tests.support.roles.calls import HERE
from tests.support.roles.roles import decider

PRIVATE = {"endpoint_type": "PRIVATE", "api_vpc_endpoint_ids": ["vpce-1", "vpce-2"]}
FUNCTION = "arn:aws:lambda:us-east-1:000000000000:function:who:live"
AUTHORIZER = {"auth": "authorizer", "authorizer_arn": FUNCTION}
DOMAIN = {"name": "ask.example.com", "certificate_arn": "arn:aws:acm:us-east-1:000000000000:certificate/1"}
METHOD = f"arn:aws:execute-api:{HERE}:api/live/POST/v1/ask"


def body(plan: Plan) -> dict[str, Any]:
    """Return what API Gateway imports."""
    return dict(json.loads(plan.resources["aws_api_gateway_rest_api.api"]["body"]))


@pytest.mark.parametrize("endpoint", ["vpce-1", "vpce-2", "vpce-3", None])
@pytest.mark.parametrize("auth", ["api_key", "iam"])
def test_a_private_api_is_called_through_its_endpoints_alone(planned: Planner, auth: str, endpoint: str | None) -> None:
    imported = body(planned(**PRIVATE, auth=auth))
    policy = json.dumps(imported["x-amazon-apigateway-policy"])
    # API Gateway completes the short form of its ARNs.
    policy = json.loads(policy.replace('"execute-api:/*"', f'"{METHOD.partition("/")[0]}/*"'))
    context = {"aws:SourceVpce": endpoint} if endpoint else {}
    own = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "execute-api:Invoke", "Resource": "*"}]}
    if can_decide():

        def invokes(identity_policy: Any) -> bool:
            action = "execute-api:Invoke"
            return decider().allows(identity_policy, action, METHOD, context=context, resource_policy=policy)

        through = endpoint in PRIVATE["api_vpc_endpoint_ids"]
        assert invokes(own) is through
        # With signatures a caller needs an IAM policy; with keys everybody reaches the key check.
        assert invokes(None) is (through and auth == "api_key")


def test_an_api_has_endpoints_of_your_network_only_if_it_is_private(planned: Planner) -> None:
    def endpoint(**variables: Any) -> Any:
        [configuration] = planned(**variables).resources["aws_api_gateway_rest_api.api"]["endpoint_configuration"]
        return configuration["types"], configuration.get("vpc_endpoint_ids")

    assert endpoint(**PRIVATE) == (["PRIVATE"], PRIVATE["api_vpc_endpoint_ids"])
    assert endpoint()[0] == ["REGIONAL"]
    assert "x-amazon-apigateway-policy" not in body(planned())


SCHEMES = {
    "api_key": ({}, {"api_key", "caller"}),
    "api_key in its own header": ({"bearer_keys": False}, {"api_key"}),
    "iam": ({"auth": "iam"}, {"caller"}),
    "authorizer": (AUTHORIZER, {"caller"}),
    "authorizer with keys": ({**AUTHORIZER, "authorizer_usage_plan": True}, {"api_key", "caller"}),
}


@pytest.mark.parametrize("kind", SCHEMES)
def test_every_request_for_data_shows_all_that_the_authentication_asks_for(planned: Planner, kind: str) -> None:
    variables, schemes = SCHEMES[kind]
    plan = planned(**variables)
    imported = body(plan)
    assert imported["components"]["securitySchemes"].keys() == schemes
    shown = {
        (path, method): {name for requirement in operation["security"] for name in requirement}
        for path, operations in imported["paths"].items()
        for method, operation in operations.items()
    }
    open_paths = {path for (path, method), names in shown.items() if method == "get" and not names}
    assert open_paths == {"/v1/health", "/v1/openapi.json", *(["/"] if kind.startswith("api_key") else [])}
    assert {tuple(sorted(names)) for names in shown.values() if names} == {tuple(sorted(schemes))}
    assert ("aws_api_gateway_usage_plan.default[0]" in plan.resources) is ("api_key" in schemes)
    named = imported.get("x-amazon-apigateway-api-key-source") == "AUTHORIZER"
    assert named is (schemes == {"api_key", "caller"})


def test_unprivileged_authorizer_reads_keys_in_either_header(planned: Planner) -> None:
    plan = planned()
    authorizer = body(plan)["components"]["securitySchemes"]["caller"]["x-amazon-apigateway-authorizer"]
    # A reply that is kept would be found by one header, and the other may be missing.
    assert (authorizer["authorizerResultTtlInSeconds"], "identitySource" in authorizer) == (0, False)
    function = plan.resources['aws_lambda_function.step["authorize"]']
    assert not function["layers"]
    services = {action.partition(":")[0] for each in plan.allowed['step["authorize"]'] for action in each["actions"]}
    assert services <= {"logs", "xray"}
    assert not [address for address in planned(bearer_keys=False).resources if "authorize" in address]


def test_custom_authorizer_is_called_with_a_minimal_role(planned: Planner) -> None:
    plan = planned(**AUTHORIZER, permissions_boundary="arn:aws:iam::123456789012:policy/boundary", role_path="/apps/")
    authorizer = body(plan)["components"]["securitySchemes"]["caller"]["x-amazon-apigateway-authorizer"]
    assert authorizer["authorizerUri"].endswith(f":lambda:path/2015-03-31/functions/{FUNCTION}/invocations")
    assert authorizer["identitySource"] == "method.request.header.Authorization"
    [statement] = json.loads(plan.resources["aws_iam_role_policy.authorizer[0]"]["policy"])["Statement"]
    assert (statement["Action"], statement["Resource"]) == ("lambda:InvokeFunction", FUNCTION)
    role = plan.resources["aws_iam_role.authorizer[0]"]
    assert (role["path"], role["permissions_boundary"]) == ("/apps/", "arn:aws:iam::123456789012:policy/boundary")


def test_a_domain_that_demands_client_certificates_closes_the_way_without_one(planned: Planner) -> None:
    def closed(plan: Plan) -> bool:
        return bool(plan.resources["aws_api_gateway_rest_api.api"]["disable_execute_api_endpoint"])

    mutual = planned(domain={**DOMAIN, "truststore_uri": "s3://trust/ca.pem", "truststore_version": "1"})
    name = mutual.resources["aws_api_gateway_domain_name.api[0]"]
    [trust] = name["mutual_tls_authentication"]
    assert (trust["truststore_uri"], trust["truststore_version"]) == ("s3://trust/ca.pem", "1")
    assert (name["security_policy"], name["endpoint_configuration"][0]["types"]) == ("TLS_1_2", ["REGIONAL"])
    plain = planned(domain=DOMAIN)
    assert not plain.resources["aws_api_gateway_domain_name.api[0]"]["mutual_tls_authentication"]
    assert (closed(mutual), closed(plain), closed(planned())) == (True, False, False)
    mapping = plain.resources["aws_api_gateway_base_path_mapping.api[0]"]
    assert (mapping["domain_name"], mapping["stage_name"]) == ("ask.example.com", "live")
    [shared] = plain.resources["aws_s3_bucket_cors_configuration.documents[0]"]["cors_rule"]
    assert "https://ask.example.com" in shared["allowed_origins"], "its page uploads files"
