"""Deliveries of services by roles and resources' policies: EventBridge's targets, functions behind the API."""

import json
from typing import Any

from ministack.core.arn import parse_arn
from ministack.services import apigateway_v1, eventbridge, lambda_svc, sqs

from tests.support.emulated.account import Account
from tests.support.emulated.requests import compared
from tests.support.enforced.callers import ACCOUNT, role_of


def decide_deliveries(account: Account) -> None:
    """EventBridge starts an execution by the target's role, and what it may not start goes to the dead letter queue."""
    invoke = eventbridge._invoke_target

    def invoked(target: dict[str, Any], event: dict[str, Any], rule: dict[str, Any], view: Any = None) -> None:
        arn, role = target["Arn"], role_of(target.get("RoleArn", "")) or ""
        source = {"aws:SourceArn": rule["Arn"]}
        if account.can_be_assumed(role, "events.amazonaws.com", **source) and account.allows(
            role, "states:StartExecution", compared(arn)
        ):
            return invoke(target, event, rule, view)
        queue = target["DeadLetterConfig"]["Arn"]
        policy = sqs.queue_policy_for_arn(queue)
        if account.service_may("events.amazonaws.com", "sqs:SendMessage", queue, policy and policy[0], **source):
            told = (view or eventbridge._pattern_event_view(event)).event_with_detail()
            eventbridge._dispatch_to_sqs(parse_arn(queue), json.dumps(told))
        return None

    eventbridge._invoke_target = invoked


def decide_integrations(account: Account) -> None:
    """API Gateway invokes a function by the function's own policy; what it may not is the gateway's error."""
    invoke = apigateway_v1._invoke_lambda_proxy_v1

    async def invoked(*given: Any, **named: Any) -> Any:
        integration, api, stage, _, _, path, method, *_ = given
        function = apigateway_v1._extract_lambda_ref_from_integration_uri(integration["uri"])
        policy = lambda_svc.function_policy_for_arn(function)
        source = f"arn:aws:execute-api:us-east-1:{ACCOUNT}:{api}/{stage}/{method}/{path.lstrip('/')}"
        called = ("apigateway.amazonaws.com", "lambda:InvokeFunction", function)
        if not account.service_may(*called, policy and policy[0], **{"aws:SourceArn": source}):
            return apigateway_v1._gw_error("API_CONFIGURATION_ERROR", "Internal server error")
        return await invoke(*given, **named)

    apigateway_v1._invoke_lambda_proxy_v1 = invoked


def decide_what_functions_become(account: Account) -> None:
    """A function is made only with a role that Lambda may take on."""
    create = lambda_svc._create_function

    def created(data: dict[str, Any]) -> Any:
        if account.can_be_assumed(role_of(data.get("Role", "")) or "", "lambda.amazonaws.com"):
            return create(data)
        why = "The role defined for the function cannot be assumed by Lambda."
        return lambda_svc.error_response_json("InvalidParameterValueException", why, 400)

    lambda_svc._create_function = created
