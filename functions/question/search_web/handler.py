"""The Lambda of the state SearchWeb."""

from question.search_web.logic import Result, Task, search
from selfrag import bootstrap

web = bootstrap.web()


@bootstrap.step(Task)
def handler(task: Task) -> Result:
    """Search the web for a query."""
    return search(task, web(task.deadline_ms), bootstrap.web_domains())
