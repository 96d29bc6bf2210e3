"""The definitions, as Step Functions itself reads them: nothing is deployed for it, and nothing is charged."""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from botocore.exceptions import ClientError
from pydantic import BaseModel, TypeAdapter

from selfrag.adapters.faults import code_of
from selfrag_cli.doctor.account import Account
from selfrag_cli.doctor.findings import Finding, blocks, fine, unknown
from selfrag_cli.doctor.region import synchronous_client
from selfrag_cli.local.definitions import INGESTION, INTAKE, QUESTION, REINDEX, definition_of, placeholders

# The machines, by what Terraform calls them.
MACHINES = {
    "express": (QUESTION, "EXPRESS"),
    "standard": (QUESTION, "STANDARD"),
    "ingestion": (INGESTION, "STANDARD"),
    "intake": (INTAKE, "STANDARD"),
    "reindex": (REINDEX, "STANDARD"),
}
# What an operation that an endpoint does not have ends with.
_ABSENT = {"UnknownOperationException", "InvalidAction"}
# By which TestState refuses what it is given.
_REJECTED = {"InvalidDefinition", "InvalidExecutionInput", "ValidationException"}
_RELEASE = "This release does not run here: take another one, and report it with this sentence."


class RecordedState(BaseModel):
    """A visit of a state in a question of the tests: what it saw, its task's result, and what it left with."""

    input: Any
    variables: dict[str, Any]
    context: dict[str, Any]
    result: Any
    output: Any
    next: str
    assigned: dict[str, Any]


@cache
def recorded_states() -> Mapping[str, RecordedState]:
    """Return the recorded visits of the states whose expressions carry a question, by name."""
    text = files("selfrag_cli.doctor").joinpath("recorded_states.json").read_text(encoding="utf-8")
    return TypeAdapter(dict[str, RecordedState]).validate_json(text)


def validity(account: Account) -> Iterator[Finding]:
    """Have Step Functions validate all definitions."""
    wrong = 0
    for machine, (path, kind) in MACHINES.items():
        try:
            reply = account.client("stepfunctions").validate_state_machine_definition(
                definition=json.dumps(_definition(account, machine)), type=kind, severity="ERROR"
            )
        except ClientError as error:
            yield from _not_there(error, "definitions")
            return
        if reply["result"] != "OK":
            wrong += 1
            faults = "; ".join(f"{each.get('location', '')} {each['message']}".strip() for each in reply["diagnostics"])
            yield blocks(f"Step Functions refuses the definition of {machine} ({path.name}): {faults}", _RELEASE)
    if not wrong:
        yield fine(f"Step Functions takes the definitions of all {len(MACHINES)} machines.")


def expressions(account: Account) -> Iterator[Finding]:
    """Have Step Functions evaluate the expressions that carry a question, and compare with what the tests had."""
    definition, wrong = json.dumps(_definition(account, "standard")), 0
    for name, recorded in recorded_states().items():
        try:
            reply = synchronous_client(account).test_state(
                definition=definition,
                stateName=name,
                input=json.dumps(recorded.input),
                variables=json.dumps(recorded.variables),
                context=json.dumps(recorded.context),
                mock={"result": json.dumps(recorded.result), "fieldValidationMode": "PRESENT"},
                inspectionLevel="DEBUG",
            )
        except ClientError as error:
            if code_of(error) not in _REJECTED:
                yield from _not_there(error, "expressions")
                return
            reply = {"status": "FAILED", "error": code_of(error), "cause": str(error)}
        for fault in _faults(recorded, reply):
            wrong += 1
            yield blocks(f"Step Functions evaluates the state {name} otherwise: {fault}", _RELEASE)
    if not wrong:
        names = ", ".join(recorded_states())
        yield fine(f"Step Functions evaluates the states {names} as the tests do.")


def _faults(recorded: RecordedState, reply: Mapping[str, Any]) -> Iterator[str]:
    if reply["status"] != "SUCCEEDED":
        yield f"{reply['status']}, {reply.get('error', '')}: {reply.get('cause', '')}"
        return
    if reply.get("nextState") != recorded.next:
        yield f"the next state is {reply.get('nextState')}, and not {recorded.next}."
    if json.loads(reply["output"]) != recorded.output:
        yield "its Output differs."
    after = json.loads(reply.get("inspectionData", {}).get("variables", "{}"))
    for variable, value in recorded.assigned.items():
        if after.get(variable) != value:
            yield f"its Assign of {variable} differs."


def _not_there(error: ClientError, what: str) -> Iterator[Finding]:
    """Yield that the service does not have the call; raises any other error."""
    if code_of(error) not in _ABSENT:
        raise error
    yield unknown(f"The {what} were not tried: Step Functions here has no {error.operation_name}.")


def _definition(account: Account, machine: str) -> dict[str, Any]:
    path, _ = MACHINES[machine]
    return dict(definition_of(path, {name: _value(account, name) for name in placeholders(path)}))


def _value(account: Account, placeholder: str) -> str:
    """Return a value of the kind that Terraform fills in."""
    name, own = account.choices.name, placeholder.rpartition("_")
    match own[2]:
        case "table" | "bucket":
            return f"{name}-{own[0]}"
        case "machine":
            return f"{account.arn('states')}:stateMachine:{name}-{own[0]}:live"
        case "places" | "concurrency" | "seconds":
            return "5"
    return f"{account.arn('lambda')}:function:{name}-{placeholder}:1"
