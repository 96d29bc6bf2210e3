"""Executions of a deployment's machines, started and waited for."""

import json
from typing import Any

from cli.doctor.deployed.subject import Deployment

RUNNING = "RUNNING"


def started(deployment: Deployment, machine: str, given: dict[str, Any]) -> str:
    """The ARN of an execution of a machine, as it is live, that was started with this input."""
    arn = f"{deployment.account.arn('states')}:stateMachine:{deployment.name}-{machine}:live"
    client = deployment.account.client("stepfunctions")
    return str(client.start_execution(stateMachineArn=arn, input=json.dumps(given))["executionArn"])


def ended(deployment: Deployment, arn: str, not_yet: tuple[str, ...] = (RUNNING,)) -> tuple[dict[str, Any], float]:
    """How an execution is described when it is none of these any more, and after how many seconds."""
    client = deployment.account.client("stepfunctions")
    seen: dict[str, Any] = {}

    def look() -> dict[str, Any] | None:
        seen.update(client.describe_execution(executionArn=arn))
        return None if seen["status"] in not_yet else seen

    _, seconds = deployment.waited(look)
    return seen, seconds
