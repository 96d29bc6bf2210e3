"""Claim a document: compare the bucket as it is now with the manifest, whatever event it was that came."""

from typing import Literal

from pydantic import BaseModel

from selfrag.domain.documents import collection_of, document_id, put_by_a_program
from selfrag.ports.manifest import Manifest
from selfrag.ports.objects import Objects

Action = Literal["read", "remove", "nothing", "busy"]


class Task(BaseModel):
    """The object that an event was about, and the execution that looks at it."""

    bucket: str
    key: str
    execution: str


class Result(BaseModel):
    """What is to be done; `version` is the object's, `generation` what the index holds."""

    action: Action
    document_id: str
    collection: str
    version: str
    generation: str


def claim(task: Task, objects: Objects, manifest: Manifest, made_by: str) -> Result:
    """Claim the document for this execution, unless there is nothing to do or another one has it.

    Events come late, twice and out of order, so none is believed: the object's version now is what counts.
    """
    identity, collection = document_id(task.bucket, task.key), collection_of(task.key)

    def result(action: Action, version: str, generation: str) -> Result:
        return Result(
            action=action, document_id=identity, collection=collection, version=version, generation=generation
        )

    # "Create folder" in the console writes an object. Nobody means it to be answered from, so nobody is told of it.
    if put_by_a_program(task.key):
        return result("nothing", "", "")
    while manifest.claim(identity, task.key, collection, task.execution):
        known = manifest.read(identity)
        generation = known.generation if known else ""
        version = objects.head(task.bucket, task.key)
        if version is None:
            return result("remove", "", generation)
        stamp = f"{version} {made_by}"
        if known is None or known.status != "ready" or known.version != stamp:
            return result("read", stamp, generation)
        # Let it go; if another event came in between, look again.
        if manifest.release(known, task.execution):
            return result("nothing", stamp, generation)
    return result("busy", "", "")
