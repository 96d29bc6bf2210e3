"""The Lambda of the state RecordDocument."""

from record_document.logic import Result, Task, record
from selfrag.manifest import manifest
from selfrag.metrics import emit
from selfrag.observability import Event, step


@step
def handler(event: Event) -> Result:
    """Record what became of a document, and count it."""
    result = record(Task.model_validate(event), manifest())
    emit({"status": result.status}, {"Documents": 1})
    return result
