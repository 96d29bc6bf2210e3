"""An object in the bucket, read into a Document that the next step finds in the work bucket."""

from dataclasses import asdict, replace
from pathlib import PurePosixPath
from typing import Literal

from pydantic import BaseModel

from selfrag.domain.documents import MAX_DOCUMENT_BYTES, Document, Labels, Part, generation_of
from selfrag.domain.errors import BadDocument
from selfrag.domain.records import Content
from selfrag.ports.objects import Objects
from selfrag.ports.recognizer import Recognizer
from selfrag.reader.guarded import read_guarded
from selfrag.reader.labels import last_modified, of_object
from selfrag.reader.scans.finding import HOW, Scan, listed, scan_of

MOST_PAGES = 500
# What a reader says of such pages, which does not know whether they are recognised.
SCANNED = "perhaps scanned"


class ParseDocumentTask(BaseModel):
    """The object, and the generation of it that the index holds."""

    bucket: str
    key: str
    document_id: str
    generation: str = ""


class Scanned(BaseModel):
    """Pages that are kept for the recogniser under a name; `pages` are their numbers in the document, in order."""

    name: str
    pages: list[int]


class ParseDocumentResult(BaseModel):
    """The object as it was read: `document_key` is where the text lies, `generation` names its content.

    `gone` when the object was deleted meanwhile, `unchanged` when the index holds this content already,
    `unreadable` with the reason when it is no document, `scanned` when pages of it have to be recognised first.
    """

    outcome: Literal["read", "unchanged", "unreadable", "gone", "scanned"]
    generation: str = ""
    document_key: str = ""
    reason: str = ""
    content: Content = Content()
    scanned: Scanned | None = None


def read_object(
    task: ParseDocumentTask,
    objects: Objects,
    made_by: str,
    recognizer: Recognizer | None = None,
    most_pages: int = MOST_PAGES,
) -> ParseDocumentResult:
    """Read the object as it is now; of pages without text `most_pages` are kept for the recogniser, if there is one."""
    # One byte more than is read shows that there is more.
    found = objects.get(task.bucket, task.key, MAX_DOCUMENT_BYTES + 1)
    if found is None:
        return ParseDocumentResult(outcome="gone")
    given = of_object(found.metadata)
    generation = generation_of(found.content, made_by, given)
    if generation == task.generation:
        return ParseDocumentResult(outcome="unchanged", generation=generation)
    document, reason = _parsed(task.key, found.content)
    # A file that nothing reads is not looked through for pictures, if it is too large or broken.
    scan = None if len(found.content) > MAX_DOCUMENT_BYTES else scan_of(task.key, found.content, document, most_pages)
    if document is None:
        if scan is None or recognizer is None:
            return ParseDocumentResult(outcome="unreadable", reason=_pictures_alone(task.key, scan) if scan else reason)
        document = _of_pictures(task.key, scan)
    document = _told_of(_labelled(document, given), scan, recognized=recognizer is not None)
    document = replace(document, date=document.date or last_modified(found.metadata))
    where = f"{task.document_id}/{generation}/document.json"
    objects.put_json(where, asdict(document))
    result = ParseDocumentResult(
        outcome="read", generation=generation, document_key=where, content=_content(document, given)
    )
    if scan is None or recognizer is None:
        return result
    recognizer.keep(scan.name, scan.pdf)
    return result.model_copy(update={"outcome": "scanned", "scanned": Scanned(name=scan.name, pages=list(scan.pages))})


def _parsed(key: str, content: bytes) -> tuple[Document | None, str]:
    try:
        return read_guarded(key, content), ""
    except BadDocument as error:
        return None, str(error)


def _of_pictures(key: str, scan: Scan) -> Document:
    """Return a document of pages on which no word was found yet."""
    parts = tuple(Part(number - 1, f"page {number}", number) for number in range(1, scan.of + 1))
    return Document(key, PurePosixPath(key).name, "\n" * (scan.of - 1), parts=parts)


def _pictures_alone(key: str, scan: Scan) -> str:
    return f"{key} shows pictures and holds no text on any of its {scan.of} pages; {HOW}."


def _told_of(document: Document, scan: Scan | None, recognized: bool) -> Document:
    """Return the document, with a warning of the pages that are not read, in place of the reader's own."""
    if scan is None:
        return document
    document = replace(document, warnings=tuple(told for told in document.warnings if SCANNED not in told))
    unread = scan.left if recognized else (*scan.pages, *scan.left)
    if not unread:
        return document
    why = "more than are recognised of one document (`text_recognition_pages`)" if recognized else HOW
    told = (
        f"{document.key} has pages that show pictures and hold no text, which were not read: {listed(unread)}; {why}."
    )
    return replace(document, warnings=(*document.warnings, told))


def _labelled(document: Document, given: Labels) -> Document:
    return replace(document, **{name: label for name, label in vars(given).items() if label})


def _content(document: Document, given: Labels) -> Content:
    return Content(
        title=document.title,
        pages=sum(part.page is not None for part in document.parts),
        warnings=list(document.warnings),
        **{name: getattr(document, name) for name in vars(given)},
    )
