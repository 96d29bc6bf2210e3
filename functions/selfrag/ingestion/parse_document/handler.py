"""The Lambda of the state ParseDocument."""

from selfrag import bootstrap
from selfrag.bootstrap import ingestion
from selfrag.ingestion.parse_document.logic import ParseDocumentResult, ParseDocumentTask, read_object
from selfrag.reader.processes.pool import POOL

bootstrap.warm(POOL.start, ingestion.objects, ingestion.ingestion_settings, ingestion.recognizer)


@bootstrap.step("parse_document", ParseDocumentTask)
def handler(task: ParseDocumentTask) -> ParseDocumentResult:
    """Read a document from the bucket."""
    config = ingestion.ingestion_settings()
    return read_object(task, ingestion.objects(), config.made_by, ingestion.recognizer(), config.recognition_pages)
