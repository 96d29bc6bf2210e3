"""Recognition of pages without text: start it, poll it, and merge its text into the document."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Literal, TypeVar

from pydantic import BaseModel

from selfrag.domain.documents import Document, Heading, Row, Table, document_from, has_words
from selfrag.domain.errors import BadDocument
from selfrag.domain.records import Content
from selfrag.domain.writing import list_names
from selfrag.ports.objects import Objects
from selfrag.ports.recognizer import RecognizedPage, Recognizer

# Below this confidence a page's text is likely to have wrong letters, and a person should look.
SURE = 90.0
Span = TypeVar("Span", Heading, Row, Table)
_BETWEEN_PAGES = "\n\n"
# Lines end at the margin: a word or sentence that continues in lower case is joined.
_WORD_GOES_ON = re.compile(r"(?<=[^\W\d_])-\n(?=([^\W\d_]))")
_SENTENCE_GOES_ON = re.compile(r"(?<=[^\s.!?:;])[ \t]*\n[ \t]*(?=([^\W\d_]))")


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
    """The outcome: `waiting` until the recogniser is done (run again with `job`), then `read`.

    `unreadable`, with the reason, means that no page has a word.
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
        results = recognizer.outcome(task.name, job)
    except BadDocument as error:
        results, why = [], str(error)
    if results is None:
        return RecognizePagesResult(outcome="waiting", job=job)
    document = document_from(objects.get_json(task.document_key))
    by_number = {task.pages[page.page - 1]: page for page in results if page.page <= len(task.pages)}
    read = {number: page for number, page in by_number.items() if has_words(page.text)}
    document = fill_pages(document, {number: join_lines(page.text) for number, page in read.items()})
    document = replace(document, warnings=(*document.warnings, *_warnings(document, task.pages, read, why)))
    if not has_words(document.text):
        reason = f"{task.key} shows pictures, and no text was recognised on them" + (f": {why}." if why else ".")
        return RecognizePagesResult(outcome="unreadable", reason=reason)
    where = task.document_key.removesuffix(".json") + "-recognized.json"
    objects.put_json(where, asdict(document))
    content = task.content.model_copy(update={"warnings": list(document.warnings)})
    return RecognizePagesResult(outcome="read", document_key=where, content=content)


def _warnings(document: Document, pages: Sequence[int], read: dict[int, RecognizedPage], why: str) -> list[str]:
    """Return warnings: on the pages recognised, on those of them to check, and on pages without text."""
    warnings = []
    if read:
        sure = [round(page.confidence) for page in read.values()]
        between = f"{min(sure)}%" if min(sure) == max(sure) else f"{min(sure)} to {max(sure)}%"
        number = f"{len(read)} page{'s' if len(read) > 1 else ''}"
        warnings.append(
            f"{document.key}: the text of {number} was recognised from pictures, with a confidence of {between}."
        )
    if doubtful := [number for number, page in read.items() if page.confidence < SURE]:
        warnings.append(f"{document.key} has recognised pages that may hold wrong letters: {list_names(doubtful)}.")
    if without := [number for number in pages if number not in read]:
        reason = f" ({why})" if why else ""
        warnings.append(f"{document.key} has pages on which no text was recognised{reason}: {list_names(without)}.")
    return warnings


def fill_pages(document: Document, texts: Mapping[int, str]) -> Document:
    """Return the document with these texts on the pages of these numbers that hold no word."""
    starts = [part.start for part in document.parts]
    moved, written, length = list[int](), list[str](), 0
    for part, end in zip(document.parts, [*starts[1:], len(document.text)], strict=True):
        held = document.text[part.start : end]
        if part.page is not None and part.page in texts and not has_words(held):
            held = texts[part.page] + _BETWEEN_PAGES
        moved.append(length)
        written.append(held)
        length += len(held)

    def move_offset(offset: int) -> int:
        part = max(bisect_right(starts, offset) - 1, 0)
        return offset - starts[part] + moved[part]

    def shift(spans: Iterable[Span]) -> tuple[Span, ...]:
        return tuple(
            replace(span, start=move_offset(span.start), end=move_offset(max(span.end - 1, 0)) + 1) for span in spans
        )

    text = "".join(written).rstrip("\n")
    return replace(
        document,
        text=text,
        headings=shift(document.headings),
        rows=shift(document.rows),
        tables=shift(document.tables),
        parts=tuple(
            replace(part, start=min(start, len(text))) for part, start in zip(document.parts, moved, strict=True)
        ),
    )


def join_lines(text: str) -> str:
    """Return the lines of a page as running text: broken words and sentences are joined."""
    text = _WORD_GOES_ON.sub(lambda end: "" if end[1].islower() else end[0], text.strip())
    return _SENTENCE_GOES_ON.sub(lambda end: " " if end[1].islower() else end[0], text)
