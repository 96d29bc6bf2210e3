"""The Lambda of the state SplitDocument."""

from selfrag import bootstrap
from selfrag.bootstrap import ingestion
from selfrag.ingestion.split_document.logic import SplitDocumentResult, SplitDocumentTask, split_into_batches

bootstrap.warm(ingestion.objects)


@bootstrap.step("split_document", SplitDocumentTask)
def handler(task: SplitDocumentTask) -> SplitDocumentResult:
    """Cut a document into batches of passages."""
    return split_into_batches(task, ingestion.objects())
