"""The definition as the tests look at it: every state, with the scope that it stands in."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from cli.aws.stack import DEFINITION

RAW = DEFINITION.read_text(encoding="utf-8")
MACHINE: dict[str, Any] = json.loads(RAW)


@dataclass(frozen=True)
class State:
    """One state; `scope` is the chain of Map and Parallel scopes around it, the outermost being empty."""

    name: str
    body: dict[str, Any]
    scope: tuple[str, ...]
    neighbours: frozenset[str]

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


def states(machine: dict[str, Any] = MACHINE, scope: tuple[str, ...] = ()) -> Iterator[State]:
    """Every state of a machine, those in Maps and Parallels included."""
    for name, body in machine["States"].items():
        yield State(name, body, scope, frozenset(machine["States"]))
        for number, branch in enumerate(body.get("Branches", [])):
            yield from states(branch, (*scope, f"{name}[{number}]"))
        if "ItemProcessor" in body:
            yield from states(body["ItemProcessor"], (*scope, name))


def tasks() -> list[State]:
    return [state for state in states() if state.body["Type"] == "Task"]


def lambda_tasks() -> list[State]:
    return [state for state in tasks() if state.body["Resource"].endswith("lambda:invoke")]


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
