"""The Lambda of the state ClaimDocument."""

from selfrag import bootstrap
from selfrag.bootstrap import ingestion
from selfrag.ingestion.claim_document.logic import ClaimDocumentResult, ClaimDocumentTask, claim

bootstrap.warm(ingestion.objects, ingestion.manifest, ingestion.ingestion_settings)


@bootstrap.step("claim_document", ClaimDocumentTask)
def handler(task: ClaimDocumentTask) -> ClaimDocumentResult:
    """Claim a document and return what to do with it."""
    return claim(task, ingestion.objects(), ingestion.manifest(), ingestion.ingestion_settings().made_by)
