"""Recognition of pages without text: start it, poll it, and merge its text into the document."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Literal

from pydantic import BaseModel

from selfrag.domain.documents import Document, document_from, has_words
from selfrag.domain.errors import BadDocument
from selfrag.domain.records import Content
from selfrag.ingestion.recognize_pages.merge import with_pages, written
from selfrag.ports.objects import Objects
from selfrag.ports.recognizer import RecognizedPage, Recognizer

# Below this confidence a page's text is likely to have wrong letters, and a person should look.
SURE = 90.0


class RecognizePagesTask(BaseModel):
    """The document as read so far, and its pages that are kept for the recogniser under `name`.

    `pages` are their numbers in the document. `job` is the id that an earlier run returned, "" for none.
    """

    key: str
    name: str
    pages: list[int]
    document_key: str
    content: Content
    job: str = ""


class RecognizePagesResult(BaseModel):
    """The outcome: `waiting` while the recogniser is not done (run again with `job`), `read` when its text is merged.

    `unreadable`, with the reason, means that no page of the document has a word.
    """

    outcome: Literal["waiting", "read", "unreadable"]
    job: str = ""
    document_key: str = ""
    reason: str = ""
    content: Content = Content()


def recognize(task: RecognizePagesTask, recognizer: Recognizer, objects: Objects) -> RecognizePagesResult:
    """Start the recognition, or poll it; a repeated run starts and pays for nothing twice."""
    job, why = task.job, ""
    try:
        # Known pages have no job, and are looked up at once.
        job = job or recognizer.begin(task.name)
        found = recognizer.outcome(task.name, job)
    except BadDocument as error:
        found, why = [], str(error)
    if found is None:
        return RecognizePagesResult(outcome="waiting", job=job)
    document = document_from(objects.get_json(task.document_key))
    known = {task.pages[page.page - 1]: page for page in found if page.page <= len(task.pages)}
    pages = {number: written(task.key, page) for number, page in known.items()}
    read = {number: page for number, page in known.items() if has_words(pages[number].text)}
    document = with_pages(document, {number: pages[number] for number in read})
    document = replace(document, warnings=(*document.warnings, *_told(document, task.pages, read, why)))
    if not has_words(document.text):
        reason = f"{task.key} shows pictures, and no text was recognised on them" + (f": {why}." if why else ".")
        return RecognizePagesResult(outcome="unreadable", reason=reason)
    where = task.document_key.removesuffix(".json") + "-recognized.json"
    objects.put_json(where, asdict(document))
    content = task.content.model_copy(update={"warnings": list(document.warnings)})
    return RecognizePagesResult(outcome="read", document_key=where, content=content)


def _told(document: Document, pages: Sequence[int], read: dict[int, RecognizedPage], why: str) -> list[str]:
    """Return warnings: on the pages recognised, on those of them to check, and on pages without text."""
    found = []
    if read:
        sure = [round(page.confidence) for page in read.values()]
        between = f"{min(sure)}%" if min(sure) == max(sure) else f"{min(sure)} to {max(sure)}%"
        number = f"{len(read)} page{'s' if len(read) > 1 else ''}"
        found.append(
            f"{document.key}: the text of {number} was recognised from pictures, with a confidence of {between}."
        )
    if doubtful := [number for number, page in read.items() if page.confidence < SURE]:
        found.append(f"{document.key} has recognised pages that may hold wrong letters: {_listed(doubtful)}.")
    if without := [number for number in pages if number not in read]:
        reason = f" ({why})" if why else ""
        found.append(f"{document.key} has pages on which no text was recognised{reason}: {_listed(without)}.")
    return found


def _listed(pages: Sequence[int]) -> str:
    more = f" and {len(pages) - 10} more" if len(pages) > 10 else ""
    return ", ".join(map(str, pages[:10])) + more
