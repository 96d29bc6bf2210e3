"""The Lambda of the state Generate."""

from selfrag import bootstrap
from selfrag.bootstrap import questions
from selfrag.domain.steps import GenerateResult, GenerateTask
from selfrag.judging.prompts import load_prompt
from selfrag.question.generate.logic import generate

prompt = questions.prompt_for("generate", load_prompt(__name__))
claude = questions.model("generate")


@bootstrap.step("generate", GenerateTask)
def handler(task: GenerateTask) -> GenerateResult:
    """Write or repair an answer."""
    return generate(task, claude(task), prompt())
