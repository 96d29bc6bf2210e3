"""Writes a batch of passages to the index exactly once, even if the step is interrupted and repeated.

The index assigns its own ids, so a write without a reply may have happened. The manifest records every write before it
begins. A repeated run that finds this marker waits for the index's refresh interval, then checks.
"""

import time
from dataclasses import replace

from pydantic import BaseModel

from selfrag.domain.errors import RequestRejected, TemporarilyUnavailable
from selfrag.domain.passages import Passage
from selfrag.domain.records import StoredPart
from selfrag.ports.index import IndexEntry, PassageWriter
from selfrag.ports.manifest import Manifest
from selfrag.ports.objects import Objects


class IndexPassagesTask(BaseModel):
    """A batch of a document's passages; `vectors_key` is the key of the passages with their vectors."""

    document_id: str
    collection: str
    generation: str
    number: int
    vectors_key: str


class IndexPassagesResult(BaseModel):
    """The progress of a batch; `settled` if all of it is known to be written, else the step must run again later."""

    settled: bool
    written: int


def index(
    task: IndexPassagesTask, objects: Objects, manifest: Manifest, writer: PassageWriter, view_seconds: float
) -> IndexPassagesResult:
    """Write the passages that are not known to be written.

    Raises TemporarilyUnavailable if the index was too busy for some passages, and RequestRejected if it refused some;
    passages written by then are recorded.
    """
    # Another release may have written them before it was interrupted: its passages may have more fields.
    stored = [
        IndexEntry(Passage.model_validate(value["passage"], extra="ignore"), value["vector"], position)
        for position, value in enumerate(objects.get_json(task.vectors_key))
    ]
    entries = {entry.passage.passage_id: entry for entry in stored}
    part = manifest.part(task.document_id, task.generation, task.number)
    if part is None:
        part = StoredPart(task.document_id, task.generation, task.number, list(entries), {})
    elif part.writing_since is not None:
        if time.time() - part.writing_since < view_seconds:
            return IndexPassagesResult(settled=False, written=len(part.ids))
        part = checked_part(part, task.collection, manifest, writer)
    missing = [entry for passage_id, entry in entries.items() if passage_id not in part.ids]
    if not missing:
        return IndexPassagesResult(settled=True, written=len(part.ids))
    manifest.put(replace(part, writing_since=time.time()))
    added = writer.add(missing)
    part = replace(part, ids={**part.ids, **added.ids}, writing_since=time.time() if added.unknown else None)
    manifest.put(part)
    if added.unknown:
        return IndexPassagesResult(settled=False, written=len(part.ids))
    if added.failed:
        busy = TemporarilyUnavailable.__name__ in added.failed.values()
        kind = TemporarilyUnavailable if busy else RequestRejected
        raise kind(f"{len(added.failed)} of {len(missing)} passages were not written")
    return IndexPassagesResult(settled=True, written=len(part.ids))


def checked_part(part: StoredPart, collection: str, manifest: Manifest, writer: PassageWriter) -> StoredPart:
    """Return the batch as the index shows it now; of a passage that was written twice, one is deleted."""
    by_passage = writer.service_ids(part.passage_ids, [collection])
    ids = {**{passage_id: service_ids[0] for passage_id, service_ids in by_passage.items()}, **part.ids}
    pairs = [(passage_id, service_id) for passage_id, service_ids in by_passage.items() for service_id in service_ids]
    writer.delete([service_id for passage_id, service_id in pairs if service_id != ids[passage_id]])
    seen = replace(part, ids=ids, writing_since=None)
    manifest.put(seen)
    return seen
