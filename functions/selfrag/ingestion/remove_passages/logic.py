"""Removal of a document's passages from the index, except those of one generation."""

import time
from itertools import chain

from pydantic import BaseModel

from selfrag.ports.index import PassageWriter
from selfrag.ports.manifest import Manifest

# Maximum deletions per run; each takes a separate index request.
AT_ONCE = 500


class RemovePassagesTask(BaseModel):
    """The document; `keep` is the generation that stays, "" for none."""

    document_id: str
    collection: str
    keep: str = ""


class RemovePassagesResult(BaseModel):
    """The number of removed passages; with `left` the step must run again, with `waiting` after a pause."""

    removed: int
    left: bool
    waiting: bool


def remove(
    task: RemovePassagesTask, manifest: Manifest, writer: PassageWriter, view_seconds: float
) -> RemovePassagesResult:
    """Remove passages batch by batch; a batch is forgotten after its passages are deleted."""
    removed, waiting = 0, False
    for part in manifest.parts(task.document_id):
        if part.generation == task.keep:
            continue
        if part.writing_since is not None and time.time() - part.writing_since < view_seconds:
            waiting = True  # some of it may be written and not visible yet
            continue
        if removed >= AT_ONCE:
            return RemovePassagesResult(removed=removed, left=True, waiting=False)
        ids = set(part.ids.values())
        if part.writing_since is not None:
            by_passage = writer.service_ids(part.passage_ids, [task.collection])
            ids.update(chain.from_iterable(by_passage.values()))
        writer.delete(sorted(ids))
        manifest.forget(part)
        removed += len(ids)
    return RemovePassagesResult(removed=removed, left=waiting, waiting=waiting)
