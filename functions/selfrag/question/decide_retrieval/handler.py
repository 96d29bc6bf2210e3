"""The Lambda of the state DecideRetrieval."""

from selfrag import bootstrap
from selfrag.bootstrap import questions
from selfrag.domain.steps import DecideRetrievalResult, DecideRetrievalTask
from selfrag.judging.prompts import load_prompt
from selfrag.question.decide_retrieval.logic import decide, decide_continuation

grader = questions.grader(
    "decide_retrieval",
    load_prompt(__name__),
    guidance=lambda: bootstrap.question_settings().retrieval_guidance,
    module=__name__,
)
# The guidance describes the documents, not the continuation of an answer.
following = questions.grader(
    "decide_retrieval", load_prompt(__name__, "next.md"), "decide_retrieval/next", module=__name__
)


@bootstrap.step("decide_retrieval", DecideRetrievalTask)
def handler(task: DecideRetrievalTask) -> DecideRetrievalResult:
    """Decide whether the question needs a search, or how an answer continues."""
    return decide_continuation(task, following(task)) if task.so_far else decide(task, grader(task))
