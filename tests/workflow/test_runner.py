"""The laptop's runner does what moto's interpreter does, another one, with the same definition and the same steps."""

import os
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import boto3
import pytest

from tests.support.emulated_aws.resources import TABLES
from tests.support.emulated_aws.stack import Execution, LocalStack, running_stack
from tests.support.world import World, told
from tests.support.worlds import Worlds

SEEDS = range(int(os.environ.get("SELFRAG_TEST_QUESTIONS", "40")))
ANSWERS = TABLES["answers_table"][0]


def by_moto(stack: LocalStack, worlds: Worlds, world: World) -> Execution:
    """Ask the question of a world of moto's interpreter."""
    worlds.world = world
    client = boto3.client("dynamodb")
    client.delete_item(TableName=ANSWERS, Key={"id": {"S": "earlier"}})
    if world.earlier:
        client.put_item(TableName=ANSWERS, Item=world.earlier)
    return stack.execute(world.asked)


def lanes(history: Sequence[dict[str, Any]]) -> dict[Any, list[Any]]:
    """Return the events of each lane by name and order: those of the machine, and those of each item of a Map."""
    of, found, maps = {0: ()}, defaultdict[Any, list[Any]](list), 0
    for event in history:
        kind, details = event["type"], next((event[name] for name in event if name.endswith("EventDetails")), {})
        lane: Any = of[event["previousEventId"]]
        if kind == "MapIterationStarted":
            lane = (maps, details["index"])
        elif kind.startswith("MapState"):
            lane, maps = (), maps + (kind == "MapStateEntered")
        of[event["id"]] = lane
        found[lane].append((kind, details.get("name"), details.get("resource"), details.get("error")))
    return dict(found)


@pytest.mark.longest(20)
def test_a_drawn_question_gets_the_same_response_by_the_same_events(record_property: Any) -> None:
    worlds, different, events = Worlds(), [], Counter[str]()
    handlers = {name: worlds.to_world(name) for name in World(0).handlers()}
    with running_stack({}, {}, handlers=handlers, pause=lambda seconds: None) as stack:
        for seed in SEEDS:
            mine, theirs = World(seed), World(seed)
            ran, interpreted = worlds.execute(mine), by_moto(stack, worlds, theirs)
            assert ran.output
            assert interpreted.output
            same = told(ran.output) == told(interpreted.output)
            same &= Counter(mine.events) == Counter(theirs.events)
            same &= lanes(ran.history) == lanes(interpreted.history)
            if not same:
                different.append(seed)
            events.update(event["type"] for event in ran.history)
    record_property("figures", f"{len(SEEDS)} drawn questions, {sum(events.values())} events: {dict(events)}")
    assert different == []
