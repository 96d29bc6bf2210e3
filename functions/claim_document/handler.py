"""The Lambda of the state ClaimDocument."""

from claim_document.logic import Result, Task, claim
from selfrag.ingestion import ingestion_settings, objects
from selfrag.manifest import manifest
from selfrag.observability import Event, step


@step
def handler(event: Event) -> Result:
    """Claim a document and say what is to be done with it."""
    return claim(Task.model_validate(event), objects(), manifest(), ingestion_settings().made_by)
