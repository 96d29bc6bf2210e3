"""The Lambda of the state DecideRetrieval."""

from question.decide_retrieval.logic import Result, Task, decide
from selfrag import bootstrap
from selfrag.ports.prompts import load_prompt

grader = bootstrap.grader("decide_retrieval", load_prompt(__file__))


@bootstrap.step(Task)
def handler(task: Task) -> Result:
    """Say whether the question needs a search."""
    return decide(task, grader(task))
