"""Chunks of a long text that stay whole: rows, paragraphs, and sentences that continue one another."""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from semantic_text_splitter import TextSplitter

from selfrag.domain.documents import Row, has_words
from selfrag.text.sentences import split_sentences
from selfrag.text.weight import CAPACITY, weigh

Stretch = tuple[int, int]

# The splitter's time grows with the square of a text without line ends, so it gets this many characters at a time.
BLOCK = 10_000
_PARAGRAPH = re.compile(r"\n[^\S\n]*\n\s*")
# A sentence that refers to the one before it, or the rest of a sentence whose line was wrapped.
_GOES_ON = re.compile(
    r"\s{0,9}(?:(?i:this|that|these|those|it|its|they|their|such|the (?:same|former|latter))\b|[a-z]"
    r"|[こそ][のれう]|[이그](?:것|\s))"
)


def runs(text: str, start: int, end: int, rows: Sequence[Row], room: int) -> Iterator[list[Stretch]]:
    """Cut a text into stretches, none of more than CAPACITY, the first not over `room` unless it is a whole row.

    A row or a paragraph is one stretch if it fits. A longer one is cut into sentences; a sentence joins the one that it
    continues, if both fit. A row that does not fit is a run of its own: no piece should hold a part of one row and
    another.
    """
    run: list[Stretch] = []
    for begins, ends, is_row in _spans(text, start, end, rows):
        if is_row and weigh(text[begins:ends].rstrip()) <= CAPACITY:
            run.append((begins, ends))
            continue
        if is_row and run:
            yield run
            run = []
        for stretch in [(begins, ends)] if is_row else _paragraphs(text, begins, ends):
            run += _fitting(text, *stretch, room if stretch[0] == start else CAPACITY)
        if is_row:
            yield run
            run = []
    if run:
        yield run


def _fitting(text: str, start: int, end: int, most: int) -> Iterator[Stretch]:
    if weigh(text[start:end].rstrip()) <= most:
        yield start, end
    else:
        yield from _gone_on(text, _sentences(text, start, end, most), most)


def _spans(text: str, start: int, end: int, rows: Sequence[Row]) -> Iterator[tuple[int, int, bool]]:
    """Return the rows, and the text between them; a stretch without a word joins the one before it."""
    edges = [(start, False)]
    for row in rows:
        edges += [(max(row.start, start), True), (min(row.end, end), False)]
    held = (start, start, False)
    for (begins, is_row), (ends, _) in pairwise([*edges, (end, False)]):
        if not has_words(text[begins:ends]):
            held = (held[0], ends, held[2])
        elif not has_words(text[held[0] : held[1]]):
            held = (held[0], ends, is_row)
        else:
            yield held
            held = (begins, ends, is_row)
    yield held


def _paragraphs(text: str, start: int, end: int) -> Iterator[Stretch]:
    inner = (found.end() for found in _PARAGRAPH.finditer(text, start, end))
    return pairwise([start, *(edge for edge in inner if edge < end), end])


def _sentences(text: str, start: int, end: int, most: int) -> Iterator[Stretch]:
    for sentence in split_sentences(text[start:end]):
        ends = start + len(sentence)
        if weigh(sentence.rstrip()) <= most:
            yield start, ends
        else:
            yield from _chunks(text, start, ends, most)
        start = ends


def _gone_on(text: str, sentences: Iterable[Stretch], most: int) -> Iterator[Stretch]:
    """Return the sentences, joined to those that they continue."""
    held: Stretch | None = None
    for start, end in sentences:
        if held and _GOES_ON.match(text, start) and weigh(text[held[0] : end]) <= most:
            held = held[0], end
            continue
        if held:
            yield held
        held = start, end
    if held:
        yield held


def _chunks(text: str, start: int, end: int, most: int) -> Iterator[Stretch]:
    while start < end:
        block = text[start : min(start + BLOCK, end)]
        weight = weigh(block)
        # Pieces of about one size: a last one of a few words would match the wrong queries.
        even = math.ceil(1.2 * weight / math.ceil(weight / most))
        # Not MarkdownSplitter: in a long paragraph it cuts at a quotation mark or an apostrophe, not between words.
        chunks = TextSplitter.from_callback(weigh, min(most, even), trim=False).chunks(block)
        if start + len(block) < end:
            chunks.pop()  # the block's end may have cut it: the next block begins with it
        for chunk in chunks:
            yield start, start + len(chunk)
            start += len(chunk)
