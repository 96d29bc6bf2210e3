"""The record of a document's outcome, and the release of its claim."""

import time
from typing import Literal

from pydantic import BaseModel

from selfrag.domain.kinds import is_supported_kind
from selfrag.domain.records import Content, Record
from selfrag.ports.manifest import Manifest


class RecordDocumentTask(BaseModel):
    """The outcome of the execution; `generation` is the one that the index holds now."""

    document_id: str
    key: str
    collection: str
    execution: str
    status: Literal["ready", "failed", "removed"]
    reason: str = ""
    version: str = ""
    generation: str = ""
    content: Content = Content()


class RecordDocumentResult(BaseModel):
    """The status of the document; `again` if another event came meanwhile, so that it must be looked at once more."""

    status: Literal["ready", "failed", "removed"]
    again: bool


def record(task: RecordDocumentTask, manifest: Manifest) -> RecordDocumentResult:
    """Write the document's record and release the claim on it."""
    earlier, content = manifest.read(task.document_id), task.content
    if earlier and task.status == "ready" and task.generation == earlier.generation and not content.passages:
        # The same content again: its record stays.
        content = earlier
    stated = Record(
        **task.model_dump(exclude={"document_id", "execution", "content"}),
        **content.model_dump(include=set(Content.model_fields)),
        id=task.document_id,
        updated_at=int(time.time()),
    )
    done = manifest.release(stated, task.execution)
    return RecordDocumentResult(status=task.status, again=not done)


def outcome_metric(task: RecordDocumentTask, result: RecordDocumentResult) -> str:
    """Return the status that is counted: a file of another kind, such as a picture, is `skipped`, not `failed`.

    The manifest has `failed` for both, with the reason; the alarm counts only those that can be repaired.
    """
    return "skipped" if result.status == "failed" and not is_supported_kind(task.key) else result.status
