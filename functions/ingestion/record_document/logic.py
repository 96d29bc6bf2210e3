"""Record what became of a document, and let it go."""

import time
from typing import Literal

from pydantic import BaseModel

from selfrag.domain.documents import of_a_kind_that_is_read
from selfrag.domain.records import Content, Record
from selfrag.ports.manifest import Manifest


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
    content: Content = Content()


class Result(BaseModel):
    """How the document stands; `again` when another event came meanwhile and it has to be looked at once more."""

    status: Literal["ready", "failed", "removed"]
    again: bool


def record(task: Task, manifest: Manifest) -> Result:
    """Write the document's state and end the claim on it."""
    known, content = manifest.read(task.document_id), task.content
    if known and task.status == "ready" and task.generation == known.generation and not content.passages:
        # The same content again: what is known of it stays.
        content = known
    stated = Record(
        **task.model_dump(exclude={"document_id", "execution", "content"}),
        **content.model_dump(include=set(Content.model_fields)),
        id=task.document_id,
        updated_at=int(time.time()),
    )
    done = manifest.release(stated, task.execution)
    return Result(status=task.status, again=not done)


def counted_as(task: Task, result: Result) -> str:
    """The word that a document is counted by: a file of another kind, such as a picture, is `skipped` and not `failed`.

    The manifest says `failed` of both, with the reason; an alarm tells of those alone that could be mended.
    """
    return "skipped" if result.status == "failed" and not of_a_kind_that_is_read(task.key) else result.status
