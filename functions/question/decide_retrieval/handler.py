"""The Lambda of the state DecideRetrieval."""

from question.decide_retrieval.logic import Result, Task, decide
from question.decide_retrieval.next import decide_next
from selfrag import bootstrap
from selfrag.ports.prompts import load_prompt

grader = bootstrap.grader("decide_retrieval", load_prompt(__file__))
following = bootstrap.grader("decide_retrieval", load_prompt(__file__, "next.md"), "decide_retrieval/next")


@bootstrap.step(Task)
def handler(task: Task) -> Result:
    """Say whether the question needs a search, or how an answer goes on."""
    return decide_next(task, following(task)) if task.so_far else decide(task, grader(task))
