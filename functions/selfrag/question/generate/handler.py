"""The Lambda of the state Generate."""

from typing import Any

from selfrag import bootstrap
from selfrag.bootstrap import questions
from selfrag.bootstrap.generator import generator
from selfrag.domain.steps import GenerateResult, GenerateTask, SelfragTextsResult, SelfragTextsTask
from selfrag.ports.prompts import load_prompt
from selfrag.question.generate.logic import generate
from selfrag.question.generate.self_critique import critique
from selfrag.runtime.observability import Event

prompt = questions.prompted("generate", load_prompt(__name__))
claude = questions.model("generate")


@bootstrap.step("generate", GenerateTask)
def by_claude(task: GenerateTask) -> GenerateResult:
    """Write or repair an answer."""
    return generate(task, claude(task), prompt())


@bootstrap.step("generate", SelfragTextsTask)
def by_selfrag(task: SelfragTextsTask) -> SelfragTextsResult:
    """Write answers together with their critique."""
    return critique(task, generator()(task))


def handler(event: Event, context: Any) -> Event:
    """Write with the generator that the task names."""
    return (by_selfrag if event.get("generator") == "selfrag" else by_claude)(event, context)
