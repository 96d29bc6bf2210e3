"""The Lambda of the state RecordDocument."""

from selfrag import bootstrap
from selfrag.bootstrap import ingestion
from selfrag.ingestion.record_document.logic import Result, Task, counted_as, record
from selfrag.runtime.metrics import emit

bootstrap.warm(ingestion.manifest)


@bootstrap.step("record_document", Task)
def handler(task: Task) -> Result:
    """Record the outcome of a document, and count it."""
    result = record(task, ingestion.manifest())
    emit({"status": counted_as(task, result)}, {"Documents": 1})
    return result
