"""The Lambda of the state SearchWeb."""

from question.search_web.logic import Task, search
from selfrag import bootstrap
from selfrag.bootstrap import questions
from selfrag.domain.passages import FoundPassages

bootstrap.warm(questions.web, questions.secrets)


@bootstrap.step(Task)
def handler(task: Task) -> FoundPassages:
    """Search the web for a query."""
    return search(task, questions.web()(task.deadline_ms), questions.web_domains())
