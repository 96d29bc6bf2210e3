"""The reindexing machine: over nothing, and stopped and redriven."""

import json
from collections.abc import Iterator
from typing import Any

from cli.doctor.deployed.subject import Deployment
from cli.doctor.findings import Finding, blocks, fine, unknown

RUNNING, ABORTED = "RUNNING", "ABORTED"


def over_nothing(deployment: Deployment) -> Iterator[Finding]:
    """A Distributed Map over a prefix that no object has."""
    ended, seconds = _ended(deployment, _start(deployment))
    output = json.loads(ended.get("output") or "{}")
    if ended["status"] == "SUCCEEDED" and not output.get("failed"):
        yield fine(f"A reindexing of a prefix without objects ended well after {seconds:.0f} s.")
        return
    yield blocks(
        f"A reindexing of a prefix without objects ended as {ended['status']} ({ended.get('error', 'no error')}).",
        "Give reindexing a prefix that has objects, and tell the project.",
    )


def redriven(deployment: Deployment) -> Iterator[Finding]:
    """An execution that was stopped goes on when it is redriven."""
    client, arn = deployment.account.client("stepfunctions"), _start(deployment)
    client.stop_execution(executionArn=arn)
    ended, _ = _ended(deployment, arn)
    if ended["status"] != ABORTED:
        yield unknown("The reindexing had ended before it could be stopped, so it was not redriven.", "Run it again.")
        return
    client.redrive_execution(executionArn=arn)
    # A description may be some moments old.
    again, seconds = _ended(deployment, arn, (RUNNING, ABORTED, "PENDING_REDRIVE"))
    if again["status"] == "SUCCEEDED":
        yield fine(f"A reindexing that was stopped ended well {seconds:.0f} s after its redrive.")
    else:
        yield blocks(
            f"A redriven reindexing ended as {again['status']}.", "Start reindexings anew in place of a redrive."
        )


def _start(deployment: Deployment) -> str:
    machine = f"{deployment.account.arn('states')}:stateMachine:{deployment.name}-reindex:live"
    given = json.dumps({"prefix": f"{deployment.visit.key}/nothing/"})
    client = deployment.account.client("stepfunctions")
    return str(client.start_execution(stateMachineArn=machine, input=given)["executionArn"])


def _ended(deployment: Deployment, arn: str, not_yet: tuple[str, ...] = (RUNNING,)) -> tuple[dict[str, Any], float]:
    client = deployment.account.client("stepfunctions")
    seen: dict[str, Any] = {}

    def look() -> dict[str, Any] | None:
        seen.update(client.describe_execution(executionArn=arn))
        return None if seen["status"] in not_yet else seen

    _, seconds = deployment.waited(look)
    return seen, seconds
