"""An object in the bucket, read into a Document that the next step finds in the work bucket."""

from dataclasses import asdict
from typing import Literal

from pydantic import BaseModel

from parse_document.logic import MAX_BYTES, parse
from selfrag.documents import BadDocument
from selfrag.ingestion import Objects, generation_of


class Task(BaseModel):
    """The object, and the generation of it that the index holds."""

    bucket: str
    key: str
    document_id: str
    generation: str = ""


class Result(BaseModel):
    """What the object says: `document_key` is where the text lies, `generation` names this content.

    `gone` when the object was deleted meanwhile, `unchanged` when the index holds this content already,
    `unreadable` with the reason when it is no document.
    """

    outcome: Literal["read", "unchanged", "unreadable", "gone"]
    generation: str = ""
    document_key: str = ""
    reason: str = ""
    title: str = ""
    pages: int = 0
    warnings: list[str] = []


def read_object(task: Task, objects: Objects, pipeline: str) -> Result:
    """Read the object as it is now."""
    # One byte more than is read shows that there is more.
    content = objects.read(task.bucket, task.key, MAX_BYTES + 1)
    if content is None:
        return Result(outcome="gone")
    generation = generation_of(content, pipeline)
    if generation == task.generation:
        return Result(outcome="unchanged", generation=generation)
    try:
        document = parse(task.key, content)
    except BadDocument as error:
        return Result(outcome="unreadable", reason=str(error))
    where = f"{task.document_id}/{generation}/document.json"
    objects.put_json(where, asdict(document))
    return Result(
        outcome="read",
        generation=generation,
        document_key=where,
        title=document.title,
        pages=len(document.pages),
        warnings=list(document.warnings),
    )
