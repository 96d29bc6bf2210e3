"""A document's passages, in batches that the next steps find in the work bucket."""

import json

from pydantic import BaseModel

from selfrag.domain.documents import passage_id
from selfrag.domain.errors import BadDocument
from selfrag.domain.passages import CitedWhole, Passage
from selfrag.ports.objects import Objects
from selfrag.processes.pool import Contained, Stopped

# Small enough to embed within a Lambda's timeout, and to write again if a write is lost.
BATCH = 25
# An execution's history may have 25,000 events, and a batch takes 16 of them without retries. A text of 10 MB has some
# 15,000 passages.
MAX_PASSAGES = 20_000
_SPLIT = Contained("ingestion.split_document.pieces:split_here", cure="shorten it")


class Task(BaseModel):
    """The key of the document, and the identity of its passages."""

    key: str
    document_id: str
    collection: str
    generation: str
    document_key: str


class Batch(BaseModel):
    """Some consecutive passages; `passages_key` is their key."""

    number: int
    passages_key: str


class Result(BaseModel):
    """All batches of a document, and how many passages they hold."""

    batches: list[Batch]
    passages: int


def split_into_batches(task: Task, objects: Objects, most: int = MAX_PASSAGES) -> Result:
    """Cut a document into passages, and these into batches; raises BadDocument for more than `most` passages.

    A worker process cuts it, for the text is a stranger's; raises what `Contained` raises.
    """
    document = objects.get_json(task.document_key)
    try:
        pieces = _SPLIT(task.key, json.dumps(document).encode())
    except Stopped as error:  # the workflow catches by the class's name
        raise BadDocument(str(error)) from error
    passages = [
        Passage(
            passage_id=passage_id(task.document_id, task.generation, position),
            document=task.key,
            title=piece["title"],
            text=piece["text"],
            collection=task.collection,
            heading=piece["heading"],
            page=piece["page"],
            locator=piece["locator"],
            rows=[CitedWhole(**row) for row in piece["rows"]],
            tags=document["tags"],
            date=document["date"],
        ).model_dump(mode="json", exclude={"score"})
        for position, piece in enumerate(pieces)
    ]
    if len(passages) > most:
        raise BadDocument(f"{task.key} has more than {most:,} passages; split it into several files.")
    batches = []
    for number, start in enumerate(range(0, len(passages), BATCH)):
        where = f"{task.document_id}/{task.generation}/passages-{number:05}.json"
        objects.put_json(where, passages[start : start + BATCH])
        batches.append(Batch(number=number, passages_key=where))
    return Result(batches=batches, passages=len(passages))
