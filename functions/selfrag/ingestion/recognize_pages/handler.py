"""The Lambda of the state RecognizePages."""

from selfrag import bootstrap
from selfrag.bootstrap import ingestion
from selfrag.domain.errors import Misconfigured
from selfrag.ingestion.recognize_pages.logic import RecognizePagesResult, RecognizePagesTask, recognize

bootstrap.warm(ingestion.objects, ingestion.recognizer)


@bootstrap.step("recognize_pages", RecognizePagesTask)
def handler(task: RecognizePagesTask) -> RecognizePagesResult:
    """Start the recognition of pages, or poll it."""
    recognizer = ingestion.recognizer()
    if recognizer is None:
        raise Misconfigured("text recognition was switched off while pages waited for it")
    return recognize(task, recognizer, ingestion.objects())
