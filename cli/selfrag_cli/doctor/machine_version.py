"""A trial start of a state machine's version: AWS does not document whether StartSyncExecution takes its ARN.

The trial makes a role without permissions and an Express machine of one state, and removes both.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from selfrag.adapters.executions import NO_MACHINE
from selfrag.adapters.faults import code_of
from selfrag_cli.doctor.account import Account
from selfrag_cli.doctor.findings import Finding, fine, look
from selfrag_cli.doctor.services import synchronous_client

_DEFINITION = {"StartAt": "End", "States": {"End": {"Type": "Succeed"}}}
_TRUST = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Principal": {"Service": "states.amazonaws.com"}, "Action": "sts:AssumeRole"}],
}
# IAM needs some seconds until Step Functions knows a new role.
_TRIES, _SECONDS_BETWEEN = 6, 5.0


def version(account: Account) -> Iterator[Finding]:
    """Start a version of a machine of one state, as `ask` starts that of questions."""
    left: list[str] = []
    try:
        yield _tried(account, left)
    finally:
        yield from (look(f"The trial's {name} could not be removed.", "Remove it in the console.") for name in left)


def _tried(account: Account, left: list[str]) -> Finding:
    iam, states, name = account.client("iam"), account.client("stepfunctions"), f"{account.choices.name}-doctor"
    with ExitStack() as made:
        try:
            iam.create_role(RoleName=name, AssumeRolePolicyDocument=json.dumps(_TRUST))
        except ClientError as error:
            # A trial before was interrupted.
            if code_of(error) != "EntityAlreadyExists":
                raise
        made.callback(_remove, lambda: iam.delete_role(RoleName=name), f"role {name}", left)
        body = {"name": name, "type": "EXPRESS", "definition": json.dumps(_DEFINITION)}
        machine = _machine(account, states, {**body, "roleArn": account.role_arn("doctor")})
        made.callback(
            _remove, lambda: states.delete_state_machine(stateMachineArn=machine), f"state machine {name}", left
        )
        number = states.publish_state_machine_version(stateMachineArn=machine)["stateMachineVersionArn"]
        try:
            synchronous_client(account).start_sync_execution(stateMachineArn=number)
        except ClientError as error:
            if code_of(error) not in NO_MACHINE:
                raise
            return look(
                f"StartSyncExecution refuses a version of a machine ({code_of(error)}): `ask` leaves the version out.",
                "Expect a warning in each answer of POST /v1/ask: while a release is deployed, its question may run "
                "the next one. POST /v1/questions runs one release from beginning to end.",
            )
    return fine("StartSyncExecution takes a version of a machine.")


def _machine(account: Account, states: Any, body: dict[str, str]) -> str:
    """Make the machine and return its ARN, once Step Functions may assume its role."""
    for _ in range(_TRIES - 1):
        try:
            return str(states.create_state_machine(**body)["stateMachineArn"])
        except ClientError as error:
            # The same code as for a caller without the right.
            if "assume" not in str(error):
                raise
        account.pause(_SECONDS_BETWEEN)
    return str(states.create_state_machine(**body)["stateMachineArn"])


def _remove(action: Callable[[], Any], name: str, left: list[str]) -> None:
    try:
        action()
    except (BotoCoreError, ClientError):
        left.append(name)
