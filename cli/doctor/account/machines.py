"""Step Functions: its limits, and whether the region has the synchronous start that POST /v1/ask needs."""

import os
from collections.abc import Iterator

from botocore.config import Config
from botocore.exceptions import ClientError, EndpointConnectionError

from cli.doctor import needs
from cli.doctor.account.subject import Account
from cli.doctor.findings import Finding, blocks, fine, look, unknown

PAGE = "https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html"
TRANSITIONS = r"StateTransition throttle (token )?refill rate.*"
STARTS = r"StartExecution throttle (token )?refill rate.*"
# For what questions a second more should be asked for.
USUAL = 10


def limits(account: Account) -> Iterator[Finding]:
    """What Service Quotas tells of state transitions and of starts."""
    quotas = account.quotas("states", account.region)
    named = [(TRANSITIONS, "state transitions", needs.TRANSITIONS), (STARTS, "starts", 1)]
    told = [(quota, what, each) for pattern, what, each in named if (quota := quotas.named(pattern))]
    if not told:
        yield unknown(
            "Service Quotas names neither the state transitions nor the starts of Standard machines.",
            f"See {PAGE}; new accounts have less, which AWS raises by use.",
        )
    for quota, what, each in told:
        rate = quota.value / each
        says = f"Standard machines have {quota.value:,.0f} {what} a second: {rate:.0f} questions a second."
        yield fine(says, rate) if rate >= USUAL else look(says, quota.raise_to(USUAL * each), rate)


def synchronous(account: Account) -> Iterator[Finding]:
    """Whether StartSyncExecution answers: a machine that is not there is asked for."""
    # It has a host of its own, `sync-states`, which only AWS's own endpoints have.
    own = bool(os.environ.get("AWS_ENDPOINT_URL") or os.environ.get("AWS_ENDPOINT_URL_SFN"))
    client = account.client("stepfunctions", config=Config(inject_host_prefix=not own))
    arn = f"{account.arn('states')}:stateMachine:{account.choices.name}-doctor"
    try:
        client.start_sync_execution(stateMachineArn=arn)
    except EndpointConnectionError:
        yield blocks(
            f"Step Functions has no synchronous start in {account.region}, which POST /v1/ask needs.",
            "Choose another `region`.",
        )
        return
    except ClientError:
        # That the machine is not there, or that one may not start it: the service answers.
        pass
    yield fine(f"Step Functions starts Express machines synchronously in {account.region}.")
