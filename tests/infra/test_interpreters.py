"""The laptop's runner and ministack's interpreter carry out the deployed definition alike."""

import os
from collections import Counter
from collections.abc import Callable
from typing import Any

from selfrag_cli.local.runner.tasks import services
from selfrag_cli.local.stack import QUESTION, definition_of, placeholders
from tests.support.aws.resources import VALUES
from tests.support.aws.states import Answers
from tests.support.definition import snake
from tests.support.infra.interpreter import OtherInterpreter, other_interpreter
from tests.support.questions import question_machine
from tests.support.world import World, told

SEEDS = range(int(os.environ.get("SELFRAG_TEST_QUESTIONS", "120")))
DEFINITION = definition_of(QUESTION, {name: VALUES.get(name, name) for name in placeholders(QUESTION)})


def by_the_runner(world: World) -> tuple[Any, Counter[Any]]:
    """Return the response to the question of a world, and what its steps were given; a state is a call of its step."""
    execution = question_machine(world.handlers(), world.earlier).start("e", world.asked).wait()
    assert execution.output is not None, execution.error
    entered = {
        snake(event["stateEnteredEventDetails"]["name"])
        for event in execution.history
        if event["type"] == "TaskStateEntered"
    }
    assert entered - {"recall_answer", "remember_answer"} == {name for name, _ in world.events}
    return told(execution.output), Counter(world.events)


def by_ministack(interpreter: OtherInterpreter, world: World) -> tuple[Any, Counter[Any]]:
    """Return the same by ministack's interpreter."""
    answers = Answers()
    answers.items = {"earlier": world.earlier} if world.earlier else {}
    ended = interpreter.run(DEFINITION, world.asked, services(world.handlers(), answers))
    assert ended["status"] == "SUCCEEDED", ended
    return told(ended["output"]), Counter(world.events)


def test_a_drawn_question_gets_the_same_response_by_the_same_calls(record_property: Callable[[str, str], None]) -> None:
    different, called = [], Counter[str]()
    with other_interpreter() as interpreter:
        for seed in SEEDS:
            ours, theirs = by_the_runner(World(seed)), by_ministack(interpreter, World(seed))
            if ours != theirs:
                different.append(seed)
            called.update(name for name, _ in ours[1])
    record_property("figures", f"{len(SEEDS)} drawn questions called {dict(called.most_common())}")
    assert different == []
    assert called.keys() == World(0).handlers().keys()
