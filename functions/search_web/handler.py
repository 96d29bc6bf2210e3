"""The Lambda of the state SearchWeb."""

from search_web.logic import Domains, Result, Task, search
from search_web.tavily import Tavily
from selfrag.observability import Event, step
from selfrag.settings import settings


@step
def handler(event: Event) -> Result:
    """Search the web for a query."""
    config = settings()
    domains = Domains(included=config.web_include_domains, excluded=config.web_exclude_domains)
    task = Task.model_validate(event)
    return search(task, Tavily(config, task.deadline_ms), domains)
