"""Write a batch of passages to the index, each once, however often the step is interrupted and run again.

The index takes no ids of ours, so a write that got no reply may have happened or not. The manifest says before every
write that it begins; whoever finds that mark waits until the write would be in sight, and then looks.
"""

import time
from dataclasses import replace

from pydantic import BaseModel

from selfrag.domain.errors import RequestRejected, TemporarilyUnavailable
from selfrag.domain.passages import Passage
from selfrag.domain.records import Part
from selfrag.ports.index import Entry, PassageWriter
from selfrag.ports.manifest import Manifest
from selfrag.ports.objects import Objects


class Task(BaseModel):
    """A batch of a document's passages; `vectors_key` is where they lie with their vectors."""

    document_id: str
    collection: str
    generation: str
    number: int
    vectors_key: str


class Result(BaseModel):
    """Whether the whole batch is known to be written; if not, run the step again after a while."""

    settled: bool
    written: int


def index(task: Task, objects: Objects, manifest: Manifest, writer: PassageWriter, view_seconds: float) -> Result:
    """Write what is not known to be written.

    Raises TemporarilyUnavailable when the index was too busy for some passages, and RequestRejected when it
    refused some; what was written by then is recorded.
    """
    entries = {entry.passage.passage_id: entry for entry in _entries(task, objects)}
    part = manifest.part(task.document_id, task.generation, task.number)
    if part is None:
        part = Part(task.document_id, task.generation, task.number, list(entries), {})
    elif part.writing_since is not None:
        if time.time() - part.writing_since < view_seconds:
            return Result(settled=False, written=len(part.ids))
        part = found_again(part, task.collection, manifest, writer)
    missing = [entry for passage_id, entry in entries.items() if passage_id not in part.ids]
    if not missing:
        return Result(settled=True, written=len(part.ids))
    manifest.put(replace(part, writing_since=time.time()))
    added = writer.add(missing)
    part = replace(part, ids={**part.ids, **added.ids}, writing_since=time.time() if added.unknown else None)
    manifest.put(part)
    if added.unknown:
        return Result(settled=False, written=len(part.ids))
    if added.failed:
        busy = TemporarilyUnavailable.__name__ in added.failed.values()
        kind = TemporarilyUnavailable if busy else RequestRejected
        raise kind(f"{len(added.failed)} of {len(missing)} passages were not written")
    return Result(settled=True, written=len(part.ids))


def found_again(part: Part, collection: str, manifest: Manifest, writer: PassageWriter) -> Part:
    """The batch as the index shows it now; of a passage that was written twice, one is deleted."""
    found = writer.service_ids(part.passage_ids, [collection])
    ids = {**{passage_id: known[0] for passage_id, known in found.items()}, **part.ids}
    writer.delete([one for passage_id, known in found.items() for one in known if one != ids[passage_id]])
    seen = replace(part, ids=ids, writing_since=None)
    manifest.put(seen)
    return seen


def _entries(task: Task, objects: Objects) -> list[Entry]:
    values = objects.get_json(task.vectors_key)
    # They may be of another release, which was broken off: its passages may say more.
    return [
        Entry(Passage.model_validate(value["passage"], extra="ignore"), value["vector"], position)
        for position, value in enumerate(values)
    ]
