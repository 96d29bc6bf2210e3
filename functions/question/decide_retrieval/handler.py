"""The Lambda of the state DecideRetrieval."""

from question.decide_retrieval.logic import Result, Task, decide
from selfrag import bootstrap
from selfrag.domain.prompts import load_prompt

PROMPT = load_prompt(__file__)


@bootstrap.step(Task)
def handler(task: Task) -> Result:
    """Say whether the question needs a search."""
    # Not cached: the verdict cache keeps IsRel, IsSup and IsUse, which are about fixed texts.
    return decide(task, bootstrap.grader("decide_retrieval", PROMPT, task.deadline_ms, cached=False))
