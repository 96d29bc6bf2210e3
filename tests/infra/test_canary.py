"""A canary gives a release a part of the requests, and an alarm gives all of them back to the release before."""

import json
from typing import Any

import pytest

from tests.support.infra.planned import Plan, Planner
from tests.support.infra.tools import can_decide
from tests.support.roles.calls import HERE
from tests.support.roles.roles import decider

CANARY = {"previous": 7, "weight": 0.25}


def weights(plan: Plan) -> Any:
    """Return the share of each other release by the alias that questions go to."""
    return [
        routing["additional_version_weights"] for routing in plan.resources["aws_lambda_alias.ask"]["routing_config"]
    ]


def rollback(plan: Plan) -> list[str]:
    """Return the addresses of what goes back by itself."""
    return [address for address in plan.resources if ".rollback[" in address]


def test_the_newest_release_gets_its_share_and_the_one_before_the_rest(planned: Planner) -> None:
    assert weights(planned(canary=CANARY)) == [{"7": 0.75}]
    assert weights(planned()) == []
    assert rollback(planned()) == rollback(planned(canary={**CANARY, "alarms": []})) == []


def test_an_alarm_that_does_not_exist_is_refused_with_those_that_do(planned: Planner) -> None:
    with pytest.raises(AssertionError, match="precondition"):
        planned(canary={**CANARY, "alarms": ["cpu"]})


def test_an_alarm_gives_all_requests_to_the_release_before_and_does_nothing_else(planned: Planner) -> None:
    resources = planned(canary={**CANARY, "alarms": ["api-5xx", "questions-failed"]}).resources
    pattern = json.loads(resources["aws_cloudwatch_event_rule.rollback[0]"]["event_pattern"])
    assert pattern["detail"]["state"]["value"] == ["ALARM"]
    assert len(pattern["resources"]) == 2
    definition = json.loads(resources["aws_sfn_state_machine.rollback[0]"]["definition"])
    [task] = definition["States"].values()
    assert task["Resource"] == "arn:aws:states:::aws-sdk:lambda:updateAlias"
    assert task["Arguments"] == {
        "FunctionName": "selfrag-ask", "Name": "live", "FunctionVersion": "7",
        "RoutingConfig": {"AdditionalVersionWeights": {}},
    }  # fmt: skip
    if can_decide():
        policy = json.loads(resources["aws_iam_role_policy.rollback[0]"]["policy"])
        functions = f"arn:aws:lambda:{HERE}:function:selfrag-"
        assert decider().allows(policy, "lambda:UpdateAlias", f"{functions}ask")
        assert not decider().allows(policy, "lambda:UpdateAlias", f"{functions}stream")
        assert not decider().allows(policy, "lambda:UpdateFunctionCode", f"{functions}ask")
