"""The deployed definition of a question over given handlers and a table of answers in memory."""

from collections.abc import Mapping
from typing import Any

from selfrag_cli.local.runner.machine import Machine
from selfrag_cli.local.runner.tasks import LambdaHandler
from selfrag_cli.local.stack import QUESTION, machine
from tests.support.aws.states import Answers


def question_machine(handlers: Mapping[str, LambdaHandler], earlier: dict[str, Any] | None = None) -> Machine:
    """Return the machine, which skips its waits; `earlier` is the item of the answer that a question follows."""
    answers = Answers()
    if earlier:
        answers.items[earlier["id"]["S"]] = earlier
    return machine(QUESTION, handlers, answers, lambda seconds: None)


def response_to(request: dict[str, Any], handlers: Mapping[str, LambdaHandler]) -> dict[str, Any]:
    """Return the response to a question."""
    execution = question_machine(handlers).start("e", request).wait()
    assert execution.output is not None, execution.error
    return execution.output
