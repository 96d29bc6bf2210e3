"""The Lambda of the state Generate."""

from question.generate.logic import Result, Task, generate
from selfrag import bootstrap
from selfrag.ports.prompts import load_prompt

prompt = bootstrap.prompted("generate", load_prompt(__file__))
claude = bootstrap.claude("generate")


@bootstrap.step(Task)
def handler(task: Task) -> Result:
    """Write or repair an answer."""
    return generate(task, claude(task), prompt())
