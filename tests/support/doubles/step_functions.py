"""What Step Functions says of a definition, by the laptop's interpreter, which is as strict as its JSONata.

The emulator's own ValidateStateMachineDefinition says OK to everything, and its TestState knows no JSONata.
"""

import json
from collections.abc import Iterator
from typing import Any

from selfrag_cli.local.jsonata import QueryError
from selfrag_cli.local.runner.failures import Failure
from tests.support.jsonata_rules import check
from tests.support.recorded_states import left

Json = dict[str, Any]


def validated(asked: Json) -> Json:
    """Answer ValidateStateMachineDefinition."""
    definition = json.loads(asked["definition"])
    faults = [*_faults(definition, ""), *_dead_ends(definition, "")]
    diagnostics = [
        {"severity": "ERROR", "code": "SCHEMA_VALIDATION_FAILED", "message": message, "location": location}
        for location, message in faults
    ]
    return {"result": "FAIL" if faults else "OK", "diagnostics": diagnostics}


def tried(asked: Json) -> Json:
    """Answer TestState with the mocked result of a task or of a Map."""
    definition, name = json.loads(asked["definition"]), asked["stateName"]
    visit = {part: json.loads(asked[part]) for part in ("input", "variables", "context")}
    visit["result"] = json.loads(asked["mock"]["result"])
    try:
        output, following, variables = left(name, visit, definition)
    except Failure as failure:
        return {"status": "FAILED", "error": failure.error, "cause": _cause(name, visit, definition, failure)}
    inspected = {"variables": json.dumps(variables)}
    return {
        "status": "SUCCEEDED", "output": json.dumps(output), "nextState": following, "inspectionData": inspected,
    }  # fmt: skip


def _cause(name: str, visit: Json, definition: Json, failure: Failure) -> str:
    """Name the field, as Step Functions does."""
    state = definition["States"][name]
    fields = {f"{part}/{field}": {part: {field: text}} for part in ("Assign",) for field, text in state[part].items()}
    for field, alone in [*fields.items(), ("Output", {"Output": state.get("Output")})]:
        bare = {part: value for part, value in state.items() if part not in ("Assign", "Output")}
        try:
            left(name, visit, {"States": {name: {**bare, **alone}}})
        except Failure as cause:
            return f"An error occurred while executing the state '{name}'. The field '{field}': {cause.cause}"
    return failure.cause


def _faults(node: Any, location: str) -> Iterator[tuple[str, str]]:
    if isinstance(node, str) and node.startswith("{%"):
        try:
            check(node[2:-2].strip())
        except QueryError as error:
            yield location, f"INVALID_JSONATA_EXPRESSION: {error}"
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for name, child in children:
        yield from _faults(child, f"{location}/{name}")


def _dead_ends(node: Any, location: str, names: frozenset[str] = frozenset()) -> Iterator[tuple[str, str]]:
    """Yield each Next, Default and StartAt that names no state beside its own."""
    if isinstance(node, dict):
        names = frozenset(node["States"]) if "States" in node and "StartAt" in node else names
        for key in ("Next", "Default", "StartAt"):
            if isinstance(node.get(key), str) and node[key] not in names:
                yield f"{location}/{key}", f'MISSING_TRANSITION_TARGET: {key} "{node[key]}" is not defined'
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for name, child in children:
        yield from _dead_ends(child, f"{location}/{name}", names)
