"""Visits of the states that carry a question, recorded for the doctor: `python -m tests.support.recorded_states`.

Run it when the definition or the state of a question has changed.
"""

import copy
import json
from pathlib import Path
from typing import Any
from unittest.mock import patch

import selfrag_cli.doctor
from selfrag_cli.local.definitions import QUESTION, definition_of
from selfrag_cli.local.runner import states
from selfrag_cli.local.runner.lane import ExecutionContext, History, Lane
from tests.support.questions import question_machine
from tests.support.steps import Scripted

FILE = Path(selfrag_cli.doctor.__file__).with_name("recorded_states.json")
NAMES = ("Plan", "RunSteps", "ComposeAnswer")
ASKED = {"question": "How many days?", "collections": ["c"], "policy": {"top_k": 2, "speculate": "draft"}}


def recorded() -> dict[str, Any]:
    """Return the first visit of each in a question: RunSteps searches, and has passages to keep apart."""
    visits: dict[str, Any] = {}
    leave = states._leave

    def noting(name: str, state: Any, left: states.Exit, data: Any, lane: Lane) -> tuple[Any, str | None]:
        before = copy.deepcopy(lane.variables)
        output, following = leave(name, state, left, data, lane)
        if name in NAMES and name not in visits and "result" in left.states:
            assigned = {variable: lane.variables[variable] for variable in state["Assign"]}
            visits[name] = copy.deepcopy({
                "input": data, "variables": before, "context": dict(lane.running.context),
                "result": left.states["result"], "output": output, "next": following, "assigned": assigned,
            })  # fmt: skip
        return output, following

    with patch.object(states, "_leave", noting):
        question_machine(Scripted().handlers()).start("e", ASKED).wait()
    return {name: visits[name] for name in NAMES}


def left(name: str, visit: Any, definition: Any = None) -> tuple[Any, str | None, dict[str, Any]]:
    """Return how the laptop's interpreter leaves a state after such a visit; raises Failure."""
    state = (definition or definition_of(QUESTION))["States"][name]
    context = ExecutionContext(visit["context"], History(), {}, lambda seconds: None)
    lane = Lane(context, copy.deepcopy(visit["variables"]))
    for part in ("Arguments", "Items", "MaxConcurrency", "TimeoutSeconds"):
        lane.value(state.get(part), {"input": visit["input"]})
    done = states.Exit(state, visit["result"], {"result": visit["result"]})
    output, following = states._leave(name, state, done, visit["input"], lane)
    return output, following, lane.variables


if __name__ == "__main__":
    lines = [f"{json.dumps(name)}: {json.dumps(visit, ensure_ascii=False)}" for name, visit in recorded().items()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
