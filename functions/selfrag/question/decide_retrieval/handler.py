"""The Lambda of the state DecideRetrieval."""

from typing import Any

from selfrag import bootstrap
from selfrag.bootstrap import questions
from selfrag.bootstrap.generator import generator
from selfrag.ports.prompts import load_prompt
from selfrag.question.decide_retrieval import probability
from selfrag.question.decide_retrieval.continuation import decide_next
from selfrag.question.decide_retrieval.logic import Result, Task, decide
from selfrag.runtime.observability import Event

grader = questions.grader(
    "decide_retrieval", load_prompt(__name__), guidance=lambda: bootstrap.question_settings().retrieval_guidance
)
# The guidance says what the documents hold, not how an answer goes on.
following = questions.grader("decide_retrieval", load_prompt(__name__, "next.md"), "decide_retrieval/next")


@bootstrap.step("decide_retrieval", Task)
def by_claude(task: Task) -> Result:
    """Decide whether the question needs a search, or how an answer goes on."""
    return decide_next(task, following(task)) if task.so_far else decide(task, grader(task))


@bootstrap.step("decide_retrieval", probability.Task)
def by_selfrag(task: probability.Task) -> probability.Result:
    """Decide by probabilities whether the question needs a search."""
    return probability.decide(task, generator()(task))


def handler(event: Event, context: Any) -> Event:
    """Decide with the generator that the task names."""
    return (by_selfrag if event.get("generator") == "selfrag" else by_claude)(event, context)
