"""The Lambda of the state DecideRetrieval."""

from decide_retrieval.logic import Result, Task, decide
from selfrag.grading import configured_grader
from selfrag.observability import Event, step
from selfrag.prompts import load_prompt

PROMPT = load_prompt(__file__)


@step
def handler(event: Event) -> Result:
    """Say whether the question needs a search."""
    task = Task.model_validate(event)
    # Not cached: the verdict cache keeps IsRel, IsSup and IsUse, which are about fixed texts.
    return decide(task, configured_grader("decide_retrieval", PROMPT, task.deadline_ms, cached=False))
