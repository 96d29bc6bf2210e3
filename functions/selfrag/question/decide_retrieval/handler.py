"""The Lambda of the state DecideRetrieval."""

from typing import Any

from selfrag import bootstrap
from selfrag.bootstrap import questions
from selfrag.bootstrap.generator import generator
from selfrag.domain.steps import DecideRetrievalResult, DecideRetrievalTask, SelfragDecisionTask
from selfrag.ports.prompts import load_prompt
from selfrag.question.decide_retrieval.logic import decide, decide_by_probability, decide_continuation
from selfrag.runtime.observability import Event

grader = questions.grader(
    "decide_retrieval",
    load_prompt(__name__),
    guidance=lambda: bootstrap.question_settings().retrieval_guidance,
    module=__name__,
)
# The guidance says what the documents hold, not how an answer goes on.
following = questions.grader(
    "decide_retrieval", load_prompt(__name__, "next.md"), "decide_retrieval/next", module=__name__
)


@bootstrap.step("decide_retrieval", DecideRetrievalTask)
def by_claude(task: DecideRetrievalTask) -> DecideRetrievalResult:
    """Decide whether the question needs a search, or how an answer goes on."""
    return decide_continuation(task, following(task)) if task.so_far else decide(task, grader(task))


@bootstrap.step("decide_retrieval", SelfragDecisionTask)
def by_selfrag(task: SelfragDecisionTask) -> DecideRetrievalResult:
    """Decide by probabilities whether the question needs a search."""
    return decide_by_probability(task, generator()(task))


def handler(event: Event, context: Any) -> Event:
    """Decide with the generator that the task names."""
    return (by_selfrag if event.get("generator") == "selfrag" else by_claude)(event, context)
