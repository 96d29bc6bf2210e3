"""The Lambda of the state SearchWeb."""

from question.search_web.logic import Result, Task, search
from selfrag import bootstrap


@bootstrap.step(Task)
def handler(task: Task) -> Result:
    """Search the web for a query."""
    return search(task, bootstrap.web(task.deadline_ms), bootstrap.web_domains())
