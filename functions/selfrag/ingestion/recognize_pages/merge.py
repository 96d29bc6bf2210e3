"""Merge of recognised pages into pages that have none; all other text keeps its place."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TypeVar

from selfrag.domain.documents import Document, Heading, Labels, Row, Table, has_words
from selfrag.domain.tables import named_rows
from selfrag.domain.writing import Writer
from selfrag.ports.recognizer import Element, RecognizedPage

Span = TypeVar("Span", Heading, Row, Table)
_BETWEEN_PAGES = "\n\n"
# Lines end where the paper does: a word or a sentence that goes on in small letters is joined.
_WORD_GOES_ON = re.compile(r"(?<=[^\W\d_])-\n(?=([^\W\d_]))")
_SENTENCE_GOES_ON = re.compile(r"(?<=[^\s.!?:;])[ \t]*\n[ \t]*(?=([^\W\d_]))")


def with_pages(document: Document, pages: Mapping[int, Document]) -> Document:
    """Return the document with these on the pages of these numbers that hold no word."""
    starts = [part.start for part in document.parts]
    moved, written, length = list[int](), list[str](), 0
    placed = list[tuple[int, Document]]()
    for part, end in zip(document.parts, [*starts[1:], len(document.text)], strict=True):
        held = document.text[part.start : end]
        if part.page is not None and part.page in pages and not has_words(held):
            placed.append((length, pages[part.page]))
            held = pages[part.page].text + _BETWEEN_PAGES
        moved.append(length)
        written.append(held)
        length += len(held)

    def at(offset: int) -> int:
        part = max(bisect_right(starts, offset) - 1, 0)
        return offset - starts[part] + moved[part]

    def shifted(spans: Iterable[Span], of_page: Callable[[Document], Iterable[Span]]) -> tuple[Span, ...]:
        found = [replace(span, start=at(span.start), end=at(max(span.end - 1, 0)) + 1) for span in spans]
        for by, page in placed:
            found += [replace(span, start=by + span.start, end=by + span.end) for span in of_page(page)]
        return tuple(sorted(found, key=lambda span: span.start))

    text = "".join(written).rstrip("\n")
    return replace(
        document,
        text=text,
        headings=shifted(document.headings, lambda page: page.headings),
        rows=shifted(document.rows, lambda page: page.rows),
        tables=shifted(document.tables, lambda page: page.tables),
        parts=tuple(
            replace(part, start=min(start, len(text))) for part, start in zip(document.parts, moved, strict=True)
        ),
    )


def written(key: str, page: RecognizedPage) -> Document:
    """Return what was recognised on a page as a document of its own."""
    writer = Writer(key)
    for element in page.elements or [Element(page.text)]:
        if not writer.is_empty:
            writer.line("")
        text = flowing(element.text)
        if element.rows:
            # A title that stands above as a heading is not said again.
            title = "" if text in (heading.text for heading in writer.headings) else text
            with writer.table(title):
                if title:
                    writer.line(title)
                for names, values in named_rows(element.names, element.rows):
                    writer.row(names, values)
        elif element.level:
            writer.heading(element.level, text)
        else:
            writer.line(text)
    return writer.document("", Labels())


def flowing(text: str) -> str:
    """Return the lines of a page as running text: broken words and sentences are joined."""
    text = _WORD_GOES_ON.sub(lambda end: "" if end[1].islower() else end[0], text.strip())
    return _SENTENCE_GOES_ON.sub(lambda end: " " if end[1].islower() else end[0], text)
