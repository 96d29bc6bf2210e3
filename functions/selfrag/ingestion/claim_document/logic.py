"""Claim of a document: compares the bucket's current state with the manifest, whatever the event."""

from functools import partial
from typing import Literal

from pydantic import BaseModel

from selfrag.domain.documents import collection_of, document_id
from selfrag.domain.kinds import is_generated_file
from selfrag.ports.manifest import Manifest
from selfrag.ports.objects import Objects


class ClaimDocumentTask(BaseModel):
    """The object that an event was about, and the execution that looks at it."""

    bucket: str
    key: str
    execution: str


class ClaimDocumentResult(BaseModel):
    """The action to take; `version` is the object's, `generation` is the one in the index."""

    action: Literal["read", "remove", "nothing", "busy"]
    document_id: str
    collection: str
    version: str
    generation: str


def claim(task: ClaimDocumentTask, objects: Objects, manifest: Manifest, made_by: str) -> ClaimDocumentResult:
    """Claim the document for this execution, unless it is up to date or another execution holds it.

    Events come late, twice and out of order: only the object's present version counts.
    """
    identity, collection = document_id(task.bucket, task.key), collection_of(task.key)
    result = partial(ClaimDocumentResult, document_id=identity, collection=collection, version="", generation="")
    # "Create folder" in the console writes an object, which is no document and is not recorded.
    if is_generated_file(task.key):
        return result(action="nothing")
    while manifest.claim(identity, task.key, collection, task.execution):
        record = manifest.read(identity)
        generation = record.generation if record else ""
        version = objects.head(task.bucket, task.key)
        if version is None:
            return result(action="remove", generation=generation)
        stamp = f"{version} {made_by}"
        if record is None or record.status != "ready" or record.version != stamp:
            return result(action="read", version=stamp, generation=generation)
        # Release it; if another event came in between, look again.
        if manifest.release(record, task.execution):
            return result(action="nothing", version=stamp, generation=generation)
    return result(action="busy")
