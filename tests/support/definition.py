"""The definition as the tests look at it: every state, with the scope that it stands in."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from selfrag_cli.local.stack import INGESTION, QUESTION, definition_of

INTAKE, REINDEX = (QUESTION.with_name(f"{name}.asl.yaml") for name in ("intake", "reindex"))


def definition_json(definition: Path, names: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return a definition as Step Functions takes it."""
    return json.dumps(definition_of(definition, names), ensure_ascii=False)


RAW = definition_json(QUESTION, {"step_seconds": "28"})
MACHINE: dict[str, Any] = json.loads(RAW)
INGESTION_RAW = definition_json(INGESTION)
INGESTION_MACHINE: dict[str, Any] = json.loads(INGESTION_RAW)
# Terraform fills this one in inside an expression, which could not be parsed before.
REINDEX_RAW = definition_json(REINDEX, {"reindex_concurrency": "20"})
REINDEX_MACHINE: dict[str, Any] = json.loads(REINDEX_RAW)
# So with these.
INTAKE_RAW = definition_json(INTAKE, {"ingestion_places": "2", "deletion_places": "1"})
INTAKE_MACHINE: dict[str, Any] = json.loads(INTAKE_RAW)


@dataclass(frozen=True)
class State:
    """One state; `scope` is the chain of Map and Parallel scopes around it, the outermost being empty."""

    name: str
    body: dict[str, Any]
    scope: tuple[str, ...]
    neighbours: frozenset[str]
    machine: dict[str, Any]

    @property
    def expressions(self) -> list[str]:
        inner = ("ItemProcessor", "Branches")
        return list(expressions_in({key: value for key, value in self.body.items() if key not in inner}))

    @property
    def assigned(self) -> set[str]:
        places = [self.body, *self.body.get("Catch", []), *self.body.get("Choices", [])]
        return {name for place in places for name in place.get("Assign", {})}

    @property
    def targets(self) -> list[str]:
        places = [self.body, *self.body.get("Catch", []), *self.body.get("Choices", [])]
        return [place[key] for place in places for key in ("Next", "Default") if key in place]


def states(machine: dict[str, Any] = MACHINE) -> Iterator[State]:
    """Every state of a machine, those in Maps and Parallels included."""
    yield from _inside(machine, (), machine)


def _inside(part: dict[str, Any], scope: tuple[str, ...], machine: dict[str, Any]) -> Iterator[State]:
    for name, body in part["States"].items():
        yield State(name, body, scope, frozenset(part["States"]), machine)
        for number, branch in enumerate(body.get("Branches", [])):
            yield from _inside(branch, (*scope, f"{name}[{number}]"), machine)
        if "ItemProcessor" in body:
            yield from _inside(body["ItemProcessor"], (*scope, name), machine)


def starts(machine: dict[str, Any], scope: tuple[str, ...] = ()) -> dict[tuple[str, ...], str]:
    """Return the state that each scope of a machine begins with."""
    found = {scope: machine["StartAt"]}
    for name, body in machine["States"].items():
        inner = {f"{name}[{number}]": branch for number, branch in enumerate(body.get("Branches", []))}
        inner |= {name: body["ItemProcessor"]} if "ItemProcessor" in body else {}
        for key, part in inner.items():
            found |= starts(part, (*scope, key))
    return found


def all_states() -> list[State]:
    """Return the states of all machines."""
    machines = (
        MACHINE,
        INGESTION_MACHINE,
        INTAKE_MACHINE,
        REINDEX_MACHINE,
    )
    return [state for machine in machines for state in states(machine)]


def tasks(machine: dict[str, Any] = MACHINE) -> list[State]:
    return [state for state in states(machine) if state.body["Type"] == "Task"]


def lambda_tasks(machine: dict[str, Any] = MACHINE) -> list[State]:
    return [state for state in tasks(machine) if state.body["Resource"].endswith("lambda:invoke")]


def expressions_in(value: Any) -> Iterator[str]:
    """Every JSONata expression in a JSON value."""
    if isinstance(value, str) and value.startswith("{%"):
        yield value[2:-2].strip()
    elif isinstance(value, dict):
        for item in value.values():
            yield from expressions_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from expressions_in(item)


def snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


MODEL_STEPS = {"DecideRetrieval", "GradeRelevance", "Generate", "GradeSupport", "GradeUtility", "RewriteQuestion"}
STATES_THAT_ASK = [state for state in states() if state.name in MODEL_STEPS]
