"""The Lambda of the state ClaimDocument."""

from ingestion.claim_document.logic import Result, Task, claim
from selfrag import bootstrap

bootstrap.warm(bootstrap.objects, bootstrap.manifest, bootstrap.ingestion_settings)


@bootstrap.step(Task)
def handler(task: Task) -> Result:
    """Claim a document and say what is to be done with it."""
    return claim(task, bootstrap.objects(), bootstrap.manifest(), bootstrap.ingestion_settings().made_by)
