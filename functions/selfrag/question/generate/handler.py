"""The Lambda of the state Generate."""

from typing import Any

from selfrag import bootstrap
from selfrag.bootstrap import questions
from selfrag.bootstrap.generator import generator
from selfrag.ports.prompts import load_prompt
from selfrag.question.generate.logic import Result, Task, generate
from selfrag.question.generate.self_critique import Result as Critiques
from selfrag.question.generate.self_critique import Task as Critiquing
from selfrag.question.generate.self_critique import critique
from selfrag.runtime.observability import Event

prompt = questions.prompted("generate", load_prompt(__name__))
claude = questions.model("generate")


@bootstrap.step("generate", Task)
def by_claude(task: Task) -> Result:
    """Write or repair an answer."""
    return generate(task, claude(task), prompt())


@bootstrap.step("generate", Critiquing)
def by_selfrag(task: Critiquing) -> Critiques:
    """Write answers together with their critique."""
    return critique(task, generator()(task))


def handler(event: Event, context: Any) -> Event:
    """Write with the generator that the task names."""
    return (by_selfrag if event.get("generator") == "selfrag" else by_claude)(event, context)
