"""Drawn questions through the deployed definition, interpreted by the laptop's runner."""

from collections.abc import Callable
from typing import Any

from selfrag_cli.local.definitions import QUESTION
from selfrag_cli.local.environment import MACHINE_ARN
from selfrag_cli.local.runner.machine import Execution, Machine
from selfrag_cli.local.runner.tasks import services
from selfrag_cli.local.stack import machine
from tests.support.world import World


class Answers:
    """A table of answers in memory."""

    def __init__(self) -> None:
        self.items: dict[str, Any] = {}

    def get_item(self, table: str, key: dict[str, Any]) -> dict[str, Any] | None:
        return self.items.get(key["id"]["S"])

    def put_item(self, table: str, item: dict[str, Any]) -> None:
        self.items[item["id"]["S"]] = item


class Worlds:
    """A machine whose handlers are those of the world at work."""

    def __init__(self, definition: dict[str, Any] | None = None) -> None:
        self.world, self.answers = World(0), Answers()
        handlers = {name: self.to_world(name) for name in self.world.handlers()}
        if definition is None:
            self.machine = machine(QUESTION, handlers, self.answers, lambda seconds: None)
        else:
            self.machine = Machine(MACHINE_ARN, definition, services(handlers, self.answers), lambda seconds: None)

    def execute(self, world: World) -> Execution:
        """Ask the question of a world."""
        self.world = world
        self.answers.items = {"earlier": world.earlier} if world.earlier else {}
        return self.machine.start("e", world.asked).wait()

    def to_world(self, name: str) -> Callable[[dict[str, Any], Any], Any]:
        return lambda event, context: self.world.handlers()[name](event, context)
