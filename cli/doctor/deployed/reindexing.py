"""The reindexing machine: over nothing, and stopped and redriven."""

import json
from collections.abc import Iterator

from cli.doctor.deployed.executions import RUNNING, ended, started
from cli.doctor.deployed.subject import Deployment
from cli.doctor.findings import Finding, blocks, fine, unknown

ABORTED = "ABORTED"


def over_nothing(deployment: Deployment) -> Iterator[Finding]:
    """A Distributed Map over a prefix that no object has."""
    end, seconds = ended(deployment, _start(deployment))
    output = json.loads(end.get("output") or "{}")
    if end["status"] == "SUCCEEDED" and not output.get("failed"):
        yield fine(f"A reindexing of a prefix without objects ended well after {seconds:.0f} s.")
        return
    yield blocks(
        f"A reindexing of a prefix without objects ended as {end['status']} ({end.get('error', 'no error')}).",
        "Give reindexing a prefix that has objects, and tell the project.",
    )


def redriven(deployment: Deployment) -> Iterator[Finding]:
    """An execution that was stopped goes on when it is redriven."""
    client, arn = deployment.account.client("stepfunctions"), _start(deployment)
    client.stop_execution(executionArn=arn)
    end, _ = ended(deployment, arn)
    if end["status"] != ABORTED:
        yield unknown("The reindexing had ended before it could be stopped, so it was not redriven.", "Run it again.")
        return
    client.redrive_execution(executionArn=arn)
    # A description may be some moments old.
    again, seconds = ended(deployment, arn, (RUNNING, ABORTED, "PENDING_REDRIVE"))
    if again["status"] == "SUCCEEDED":
        yield fine(f"A reindexing that was stopped ended well {seconds:.0f} s after its redrive.")
    else:
        yield blocks(
            f"A redriven reindexing ended as {again['status']}.", "Start reindexings anew in place of a redrive."
        )


def _start(deployment: Deployment) -> str:
    return started(deployment, "reindex", {"prefix": f"{deployment.visit.key}/nothing/"})
