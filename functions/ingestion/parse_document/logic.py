"""An object in the bucket, read into a Document that the next step finds in the work bucket."""

from dataclasses import asdict, replace
from typing import Literal

from pydantic import BaseModel

from ingestion.parse_document.labels import of_object
from ingestion.parse_document.readers import parse
from selfrag.domain.documents import MAX_DOCUMENT_BYTES, generation_of
from selfrag.domain.errors import BadDocument
from selfrag.domain.records import Content
from selfrag.ports.objects import Objects


class Task(BaseModel):
    """The object, and the generation of it that the index holds."""

    bucket: str
    key: str
    document_id: str
    generation: str = ""


class Result(BaseModel):
    """What the object says: `document_key` is where the text lies, `generation` names its content.

    `gone` when the object was deleted meanwhile, `unchanged` when the index holds this content already,
    `unreadable` with the reason when it is no document.
    """

    outcome: Literal["read", "unchanged", "unreadable", "gone"]
    generation: str = ""
    document_key: str = ""
    reason: str = ""
    content: Content = Content()


def read_object(task: Task, objects: Objects, made_by: str) -> Result:
    """Read the object as it is now."""
    # One byte more than is read shows that there is more.
    found = objects.get(task.bucket, task.key, MAX_DOCUMENT_BYTES + 1)
    if found is None:
        return Result(outcome="gone")
    given = of_object(found.metadata)
    generation = generation_of(found.content, made_by, given)
    if generation == task.generation:
        return Result(outcome="unchanged", generation=generation)
    try:
        document = parse(task.key, found.content)
    except BadDocument as error:
        return Result(outcome="unreadable", reason=str(error))
    document = replace(document, **{name: label for name, label in vars(given).items() if label})
    where = f"{task.document_id}/{generation}/document.json"
    objects.put_json(where, asdict(document))
    return Result(
        outcome="read",
        generation=generation,
        document_key=where,
        content=Content(
            title=document.title,
            pages=sum(part.page is not None for part in document.parts),
            warnings=list(document.warnings),
            **{name: getattr(document, name) for name in vars(given)},
        ),
    )
