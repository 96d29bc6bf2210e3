"""The Lambda of the state RecognizePages."""

from selfrag import bootstrap
from selfrag.bootstrap import ingestion
from selfrag.domain.errors import Misconfigured
from selfrag.ingestion.recognize_pages.logic import Result, Task, recognize

bootstrap.warm(ingestion.objects, ingestion.recognizer)


@bootstrap.step("recognize_pages", Task)
def handler(task: Task) -> Result:
    """Start the recognition of pages, or poll it."""
    recognizer = ingestion.recognizer()
    if recognizer is None:
        raise Misconfigured("text recognition was switched off while pages waited for it")
    return recognize(task, recognizer, ingestion.objects())
