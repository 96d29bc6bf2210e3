"""The Lambda of the state RecordDocument."""

from selfrag import bootstrap
from selfrag.bootstrap import ingestion
from selfrag.ingestion.record_document.logic import RecordDocumentResult, RecordDocumentTask, outcome_metric, record
from selfrag.runtime.metrics import emit

bootstrap.warm(ingestion.manifest)


@bootstrap.step("record_document", RecordDocumentTask)
def handler(task: RecordDocumentTask) -> RecordDocumentResult:
    """Record the outcome of a document, and count it."""
    result = record(task, ingestion.manifest())
    emit({"status": outcome_metric(task, result)}, {"Documents": 1})
    return result
