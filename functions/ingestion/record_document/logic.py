"""Record what became of a document, and let it go."""

import time
from typing import Literal

from pydantic import BaseModel

from selfrag.domain.records import Record
from selfrag.ports.manifest import Manifest

# What is known of a content as long as it stays the same.
_OF_CONTENT = ("title", "passages", "pages", "warnings", "tags", "date")


class Task(BaseModel):
    """What the execution found out; `generation` is what the index holds now."""

    document_id: str
    key: str
    collection: str
    execution: str
    status: Literal["ready", "failed", "removed"]
    reason: str = ""
    version: str = ""
    generation: str = ""
    title: str = ""
    passages: int = 0
    pages: int = 0
    warnings: list[str] = []
    tags: list[str] = []
    date: str | None = None


class Result(BaseModel):
    """How the document stands; `again` when another event came meanwhile and it has to be looked at once more."""

    status: Literal["ready", "failed", "removed"]
    again: bool


def record(task: Task, manifest: Manifest) -> Result:
    """Write the document's state and end the claim on it."""
    known = manifest.read(task.document_id)
    fields = task.model_dump(exclude={"document_id", "execution"})
    if known and task.status == "ready" and task.generation == known.generation and not task.passages:
        # The same content again: what is known of it stays.
        fields |= {name: getattr(known, name) for name in _OF_CONTENT}
    done = manifest.release(Record(id=task.document_id, updated_at=int(time.time()), **fields), task.execution)
    return Result(status=task.status, again=not done)
