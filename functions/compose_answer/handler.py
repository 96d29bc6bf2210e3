"""The Lambda of the state ComposeAnswer."""

from compose_answer.logic import Response, Task, compose
from selfrag.observability import Event, step
from selfrag.settings import settings


@step
def handler(event: Event) -> Response:
    """Compose the response from what the workflow gathered."""
    config = settings()
    return compose(Task.model_validate(event), config.prices, config.console_links)
