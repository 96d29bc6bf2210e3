"""The Lambda of the state SearchWeb."""

from selfrag import bootstrap
from selfrag.bootstrap.shared import secrets
from selfrag.bootstrap.web import web, web_domains
from selfrag.domain.steps import RetrievedPassages, SearchWebTask
from selfrag.question.search_web.logic import search

bootstrap.warm(web, secrets)


@bootstrap.step("search_web", SearchWebTask)
def handler(task: SearchWebTask) -> RetrievedPassages:
    """Search the web for a query."""
    return search(task, web()(task.deadline_ms), web_domains())
