"""Merge of recognised text into pages that have none; all other text keeps its place."""

import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from selfrag.domain.documents import Document, Heading, Row, Table, has_words

Span = TypeVar("Span", Heading, Row, Table)
_BETWEEN_PAGES = "\n\n"
# Lines end where the paper does: a word or a sentence that goes on in small letters is joined.
_WORD_GOES_ON = re.compile(r"(?<=[^\W\d_])-\n(?=([^\W\d_]))")
_SENTENCE_GOES_ON = re.compile(r"(?<=[^\s.!?:;])[ \t]*\n[ \t]*(?=([^\W\d_]))")


def with_pages(document: Document, texts: Mapping[int, str]) -> Document:
    """Return the document with these texts on the pages of these numbers that hold no word."""
    starts = [part.start for part in document.parts]
    moved, written, length = list[int](), list[str](), 0
    for part, end in zip(document.parts, [*starts[1:], len(document.text)], strict=True):
        held = document.text[part.start : end]
        if part.page is not None and part.page in texts and not has_words(held):
            held = flowing(texts[part.page]) + _BETWEEN_PAGES
        moved.append(length)
        written.append(held)
        length += len(held)

    def at(offset: int) -> int:
        part = max(bisect_right(starts, offset) - 1, 0)
        return offset - starts[part] + moved[part]

    def shifted(spans: tuple[Span, ...]) -> tuple[Span, ...]:
        return tuple(replace(span, start=at(span.start), end=at(max(span.end - 1, 0)) + 1) for span in spans)

    text = "".join(written).rstrip("\n")
    return replace(
        document,
        text=text,
        headings=shifted(document.headings),
        rows=shifted(document.rows),
        tables=shifted(document.tables),
        parts=tuple(
            replace(part, start=min(start, len(text))) for part, start in zip(document.parts, moved, strict=True)
        ),
    )


def flowing(text: str) -> str:
    """Return the lines of a page as running text: broken words and sentences are joined."""
    text = _WORD_GOES_ON.sub(lambda end: "" if end[1].islower() else end[0], text.strip())
    return _SENTENCE_GOES_ON.sub(lambda end: " " if end[1].islower() else end[0], text)
