"""An object in the bucket, read into a Document that the next step finds in the work bucket."""

from dataclasses import asdict
from typing import Literal

from pydantic import BaseModel

from selfrag.domain.documents import MAX_DOCUMENT_BYTES, generation_of
from selfrag.domain.records import Content
from selfrag.ports.objects import Objects
from selfrag.ports.recognizer import Recognizer
from selfrag.reader.files import read_file
from selfrag.reader.labels import object_labels


class ParseDocumentTask(BaseModel):
    """The object, and the generation of it that the index holds."""

    bucket: str
    key: str
    document_id: str
    generation: str = ""


class ScannedPages(BaseModel):
    """Pages that are kept for the recogniser under a name; `pages` are their numbers in the document, in order."""

    name: str
    pages: list[int]


class ParseDocumentResult(BaseModel):
    """The parsed object: `document_key` locates the text, `generation` identifies its content.

    Outcomes: `gone` if the object was deleted, `unchanged` if the index already has this content, `unreadable` with the
    reason, `scanned` if pages must be recognised first.
    """

    outcome: Literal["read", "unchanged", "unreadable", "gone", "scanned"]
    generation: str = ""
    document_key: str = ""
    reason: str = ""
    content: Content = Content()
    scanned: ScannedPages | None = None


def read_object(
    task: ParseDocumentTask, objects: Objects, made_by: str, recognizer: Recognizer | None, most_pages: int
) -> ParseDocumentResult:
    """Parse the object's current version; up to `most_pages` pages without text go to the recognizer, if any."""
    # One byte more than is read shows that there is more.
    stored = objects.get(task.bucket, task.key, MAX_DOCUMENT_BYTES + 1)
    if stored is None:
        return ParseDocumentResult(outcome="gone")
    generation = generation_of(stored.content, made_by, object_labels(stored.metadata))
    if generation == task.generation:
        return ParseDocumentResult(outcome="unchanged", generation=generation)
    recognition = recognizer is not None
    document, reason, scan = read_file(
        task.key, stored.content, stored.metadata, recognition=recognition, most_pages=most_pages
    )
    if document is None:
        return ParseDocumentResult(outcome="unreadable", reason=reason)
    where = f"{task.document_id}/{generation}/document.json"
    objects.put_json(where, asdict(document))
    content = Content(
        title=document.title,
        pages=sum(part.page is not None for part in document.parts),
        warnings=list(document.warnings),
        tags=list(document.tags),
        date=document.date,
    )
    result = ParseDocumentResult(outcome="read", generation=generation, document_key=where, content=content)
    if scan is None or recognizer is None:
        return result
    recognizer.keep(scan.name, scan.pdf)
    scanned = ScannedPages(name=scan.name, pages=list(scan.pages))
    return result.model_copy(update={"outcome": "scanned", "scanned": scanned})
