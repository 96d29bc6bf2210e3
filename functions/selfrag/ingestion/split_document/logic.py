"""A document's passages, in batches that the next steps find in the work bucket."""

from pydantic import BaseModel

from selfrag.domain.documents import document_from, passage_id
from selfrag.domain.errors import BadDocument
from selfrag.domain.passages import CitedWhole, Passage
from selfrag.ingestion.split_document.pieces import split
from selfrag.ports.objects import Objects

# Small enough to embed within a Lambda's timeout, and to write again if a write is lost.
BATCH = 25
# An execution's history may have 25,000 events, and a batch takes 16 of them without retries. A text of 10 MB has some
# 15,000 passages.
MAX_PASSAGES = 20_000


class SplitDocumentTask(BaseModel):
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


class SplitDocumentResult(BaseModel):
    """All batches of a document, and how many passages they hold."""

    batches: list[Batch]
    passages: int


def split_into_batches(task: SplitDocumentTask, objects: Objects, most: int = MAX_PASSAGES) -> SplitDocumentResult:
    """Cut a document into passages, and these into batches; raises BadDocument for more than `most` passages."""
    document = document_from(objects.get_json(task.document_key))
    passages = [
        Passage(
            passage_id=passage_id(task.document_id, task.generation, position),
            document=task.key,
            title=piece.title,
            text=piece.text,
            collection=task.collection,
            heading=piece.heading,
            page=piece.page,
            locator=piece.locator,
            rows=[CitedWhole(**vars(row)) for row in piece.rows],
            tags=list(document.tags),
            date=document.date,
        ).model_dump(mode="json", exclude={"score"})
        for position, piece in enumerate(split(document))
    ]
    if len(passages) > most:
        raise BadDocument(f"{task.key} has more than {most:,} passages; split it into several files.")
    batches = []
    for number, start in enumerate(range(0, len(passages), BATCH)):
        where = f"{task.document_id}/{task.generation}/passages-{number:05}.json"
        objects.put_json(where, passages[start : start + BATCH])
        batches.append(Batch(number=number, passages_key=where))
    return SplitDocumentResult(batches=batches, passages=len(passages))
