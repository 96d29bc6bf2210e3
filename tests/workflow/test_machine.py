"""The definition carries out what Plan says, as `tests/support/machine.py` does, and nothing else."""

import json
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from selfrag_cli.local.definitions import QUESTION, definition_json, placeholders
from selfrag_cli.local.runner.machine import Execution
from tests.support.definition import snake
from tests.support.machine import Machine
from tests.support.world import World, told
from tests.support.worlds import Worlds

SEEDS = range(120)
# A change of the definition is noticed by one of so many of the sequences.
NOTICED_IN = range(40)


def planned(seed: int) -> tuple[dict[str, Any], Counter[Any]]:
    """Return the response to a drawn question as its plans alone lead to it, and what its steps were given."""
    world = World(seed)
    response = Machine(world.asked, world.handlers(), world.earlier).run()
    return told(response), Counter(world.events)


def agrees(worlds: Worlds, seed: int) -> bool:
    """Return whether the definition comes to the same, by the same events."""
    world = World(seed)
    execution = worlds.execute(world)
    return (execution.output and told(execution.output), Counter(world.events)) == planned(seed)


@pytest.mark.longest(20)
def test_what_the_plans_say_is_what_the_definition_does(record_property: Any) -> None:
    worlds, different, entered = Worlds(), [], Counter[str]()
    for seed in SEEDS:
        world = World(seed)
        execution = worlds.execute(world)
        found = (execution.output and told(execution.output), Counter(world.events))
        if found != planned(seed):
            different.append(seed)
        states = {snake(name) for name in entered_tasks(execution)}
        assert states == {name for name, _ in world.events}, "a state lights up if and only if its Lambda runs"
        entered.update(states)
    record_property("figures", f"{len(SEEDS)} drawn questions entered {dict(entered.most_common())}")
    assert different == []
    assert len(entered) == len(World(0).handlers())


def entered_tasks(execution: Execution) -> set[str]:
    """Return the names of the states that call a Lambda, as the history has them."""
    names = {
        event["stateEnteredEventDetails"]["name"] for event in execution.history if event["type"] == "TaskStateEntered"
    }
    return names - {"RecallAnswer", "RememberAnswer", "RememberFailure"}


def states_of(definition: dict[str, Any]) -> dict[str, Any]:
    """All states of the definition, those of the Map too."""
    return {**definition["States"], **definition["States"]["RunSteps"]["ItemProcessor"]["States"]}


def turned_round(states: dict[str, Any]) -> None:
    (choice,) = states["Route"]["Choices"]
    choice["Condition"] = choice["Condition"].replace("> 0", "= 0")


def left_out(step: str) -> Callable[[dict[str, Any]], None]:
    def change(states: dict[str, Any]) -> None:
        choices = states["SelectStep"]["Choices"]
        choices[:] = [choice for choice in choices if choice["Next"] != step]

    return change


def not_handed_on(state: str, part: str) -> Callable[[dict[str, Any]], None]:
    def change(states: dict[str, Any]) -> None:
        whole = json.dumps(states[state])
        cut = re.sub(part, "", whole)
        assert cut != whole
        states[state].clear()
        states[state].update(json.loads(cut))

    return change


CHANGES: dict[str, Callable[[dict[str, Any]], None]] = {
    "Route is turned round": turned_round,
    **{f"{step} is left out": left_out(step) for step in ("SearchWeb", "GradeSupport", "RewriteQuestion", "RankPaths")},
    "the filters are not handed on": not_handed_on("Retrieve", r", \\\"filters\\\": \$known.filters"),
    "the cache is not handed on": not_handed_on("GradeSupport", r"\$sift\(\$known.brief, .*?\}\), "),
    "the passages are not handed on": not_handed_on(
        "Generate", r", \{\\\"passages\\\": \[\$states.input.passage_ids.\$lookup\(\$passages, \$\)\]\}"
    ),
    "an error is not handed on": not_handed_on("RunSteps", r", \\\"error\\\": error"),
    "no passage is kept": not_handed_on("RunSteps", r"\$sift\(\$passages, .*? \}\), "),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_of_the_definition_is_noticed(change: Callable[[dict[str, Any]], None]) -> None:
    definition = json.loads(definition_json(QUESTION, {name: name for name in placeholders(QUESTION)}))
    change(states_of(definition))
    worlds = Worlds(definition)
    assert any(not agrees(worlds, seed) for seed in NOTICED_IN)
