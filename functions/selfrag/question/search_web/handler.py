"""The Lambda of the state SearchWeb."""

from selfrag import bootstrap
from selfrag.bootstrap.questions import secrets
from selfrag.bootstrap.web import web, web_domains
from selfrag.domain.passages import FoundPassages
from selfrag.question.search_web.logic import Task, search

bootstrap.warm(web, secrets)


@bootstrap.step("search_web", Task)
def handler(task: Task) -> FoundPassages:
    """Search the web for a query."""
    return search(task, web()(task.deadline_ms), web_domains())
