"""A document's passages, in batches that the next steps find in the work bucket."""

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import groupby, pairwise, takewhile
from typing import TypeVar

from pydantic import BaseModel
from semantic_text_splitter import TextSplitter

from selfrag.domain.documents import Document, Part, Piece, Row, Table, document_from, has_words, passage_id
from selfrag.domain.errors import BadDocument
from selfrag.domain.passages import Passage
from selfrag.ports.objects import Objects
from selfrag.text.sentences import split_sentences
from selfrag.text.suggestions import suggestion
from selfrag.text.weight import CAPACITY, SMALL, estimate_tokens

MAX_TITLE = 200
# The most characters of the row that a piece continues, in its title.
_MAX_SUBJECT = 80
_SEEN = re.compile(r"\S")
Stretch = tuple[int, int]
Begun = TypeVar("Begun", Part, Table)

# The splitter's time grows with the square of a text without line ends, so it gets this many characters at a time.
BLOCK = 10_000
_PARAGRAPH = re.compile(r"\n[^\S\n]*\n\s*")
# A sentence that refers to the one before it, or the rest of a sentence whose line was wrapped.
_GOES_ON = re.compile(
    r"\s{0,9}(?:(?i:this|that|these|those|it|its|they|their|such|the (?:same|former|latter))\b|[a-z]"
    r"|[こそ][のれう]|[이그](?:것|\s))"
)
# So many rows are read with the text around them; more of them, or rows with a caption, are a section.
FEW_ROWS = 3


@dataclass(frozen=True)
class Section:
    """A stretch of text with its headings up to `body`; `says` if there are words below them.

    `path` are the headings above it, `table` and `part` the table and page it belongs to.
    """

    start: int
    body: int
    end: int
    path: tuple[str, ...]
    says: bool
    table: Table | None
    part: Part | None


def sections_of(document: Document) -> list[Section]:
    """Return the sections in order; none is of headings alone, unless the document is.

    Headings with nothing below them join the text after them in their part, or else the text before them. If that is a
    table, or there is none, they are left out: they name the content of the next part.
    """
    joined: list[Section] = []
    for section in _cut(document):
        if joined and _belong_together(document.text, joined[-1], section):
            joined[-1] = _join(document.text, joined[-1], section)
        else:
            joined.append(section)
    if not any(section.says for section in joined):
        return joined
    sections: list[Section] = []
    for section in joined:
        if section.says:
            sections.append(section)
        elif sections and sections[-1].part == section.part and sections[-1].table is None:
            sections[-1] = replace(sections[-1], end=section.end)
    return sections


def _cut(document: Document) -> Iterator[Section]:
    """Yield all stretches between headings, parts and tables that hold a word."""
    text, tables = document.text, _find_standalone_tables(document)
    # If a reader repeats an earlier heading, several may begin at one place.
    headings = {start: list(group) for start, group in groupby(document.headings, key=lambda heading: heading.start)}
    edges = {0, len(text), *headings, *(part.start for part in document.parts)}
    edges.update(edge for table in tables for edge in (table.start, table.end))
    path: list[tuple[int, str]] = []
    for start, end in pairwise(sorted(edge for edge in edges if edge <= len(text))):
        begun = headings.get(start, [])
        for heading in begun:
            path = [above for above in path if above[0] < heading.level] + [(heading.level, heading.text)]
        if has_words(text[start:end]):
            body = min(begun[-1].end, end) if begun else start
            names = tuple(name for _, name in path)
            part, table = _last_begun(document.parts, start), _last_begun(tables, start)
            inside = table if table and start < table.end else None
            yield Section(start, body, end, names, has_words(text[body:end]), inside, part)


def _last_begun(stretches: Sequence[Begun], start: int) -> Begun | None:
    after = bisect_right(stretches, start, key=lambda stretch: stretch.start)
    return stretches[after - 1] if after else None


def _find_standalone_tables(document: Document) -> list[Table]:
    """Return the tables that form separate sections."""
    first = document.headings[0].start if document.headings else -1
    starts = [row.start for row in document.rows]
    return [
        table
        for table in document.tables
        if table.caption
        or bisect_left(starts, table.end) - bisect_left(starts, table.start) > FEW_ROWS
        or table.start <= first < table.end
    ]


def _belong_together(text: str, held: Section, section: Section) -> bool:
    """Return whether to join: headings alone and the next text, two tiny sections, or a table and its lead-in."""
    if held.part != section.part or (held.table and held.says):
        return False
    if not held.says:
        return estimate_tokens(text[held.start : held.end]) < SMALL
    if section.table:
        return held.path == section.path and estimate_tokens(text[held.start : held.end]) < SMALL
    return section.says and estimate_tokens(text[held.start : section.end]) < SMALL


def _join(text: str, first: Section, second: Section) -> Section:
    path = second.path
    if first.says or path[: len(first.path)] != first.path:
        shared = takewhile(lambda names: names[0] == names[1], zip(first.path, path, strict=False))
        path = tuple(name for name, _ in shared)
    # So many headings are a list, or lines mistaken for headings.
    says = first.says or second.says or estimate_tokens(text[first.start : second.end]) >= SMALL
    return Section(first.start, second.body, second.end, path, says, second.table, second.part)


def split(document: Document) -> list[Piece]:
    """Split a document into pieces in order, none spanning two pages, slides or sheets.

    All words are kept, except headings without text in their part. A row that does not fit continues in further pieces,
    whose titles repeat how it begins.
    """
    pieces = []
    for section in sections_of(document):
        names, heading = _names(document, section), section.path[-1] if section.path else ""
        page, locator = (section.part.page, section.part.name) if section.part else (None, "")
        for start, end in _slices(document, section):
            if has_words(words := document.text[start:end].strip()):
                begins = end - len(document.text[start:end].lstrip())
                rows = _rows(document, begins, begins + len(words))
                title = _title([*names, *_continued_table_title(document, rows, begins)])
                within = _cite_rows(document.text, rows, begins, begins + len(words))
                pieces.append(Piece(words, title, heading, page, locator, tuple(within)))
    return pieces


def _names(document: Document, section: Section) -> list[str]:
    """Return the headings above a section, or the document's title, and the caption of its table."""
    table, first = section.table, document.headings[0].start if document.headings else None
    under_none = not section.path or (table is not None and first is not None and table.start <= first)
    return [
        *([document.title] if under_none else []),
        *section.path,
        *([table.caption] if table and table.caption else []),
    ]


def _title(names: list[str]) -> str:
    """Return the names joined, the nearest last; if they are too long, the farthest are dropped."""
    while len(names) > 1 and len(" > ".join(names)) > MAX_TITLE:
        names = names[1:]
    return " > ".join(names)[:MAX_TITLE]


def _slices(document: Document, section: Section) -> list[Stretch]:
    """Return the consecutive slices of a section; its headings stay with the first."""
    text = document.text
    if estimate_tokens(text[section.start : section.end].strip()) <= CAPACITY:
        return [(section.start, section.end)]
    # The empty line below a heading stays with it; otherwise the heading alone could become a slice.
    body = section.end - len(text[section.body : section.end].lstrip())
    room = CAPACITY - estimate_tokens(text[section.start : body])
    if room < CAPACITY // 2:
        body, room = section.start, CAPACITY
    rows = _rows(document, body, section.end)
    slices: list[Stretch] = []
    for run in runs(text, body, section.end, rows, room):
        slices += _pack(text, slices[-1][1] if slices else section.start, run)
    return slices


def _pack(text: str, start: int, run: Sequence[Stretch]) -> list[Stretch]:
    """Split a run into slices of similar size: a short last one would match the wrong queries."""
    weights = [estimate_tokens(text[begins:ends]) for begins, ends in run]
    held = estimate_tokens(text[start : run[0][0]])
    total = held + sum(weights)
    even = min(CAPACITY, math.ceil(1.2 * total / math.ceil(total / CAPACITY)))
    slices: list[Stretch] = []
    for (begins, _), weight in zip(run, weights, strict=True):
        if begins > start and held + weight > (CAPACITY if held < SMALL else even):
            slices.append((start, begins))
            start, held = begins, 0
        held += weight
    end = run[-1][1]
    if slices and held < SMALL and estimate_tokens(text[slices[-1][0] : end].rstrip()) <= CAPACITY:
        start = slices.pop()[0]
    return [*slices, (start, end)]


def _rows(document: Document, begins: int, ends: int) -> list[Row]:
    """Return the rows that overlap the text between two characters."""
    first = bisect_right(document.rows, begins, key=lambda row: row.end)
    return list(document.rows[first : bisect_left(document.rows, ends, key=lambda row: row.start)])


def _continued_table_title(document: Document, rows: Sequence[Row], begins: int) -> list[str]:
    """Return the beginning of the row that a piece continues, if any: its first value, or the term it defines."""
    if not rows or rows[0].start >= begins:
        return []
    start, end = rows[0].start, min(rows[0].end, rows[0].start + _MAX_SUBJECT + len("; "))
    beginning = document.text[start:end].partition("; ")[0]  # not all of the row: each of its pieces looks at it
    return [beginning if len(beginning) <= _MAX_SUBJECT else beginning.partition(": ")[0][:_MAX_SUBJECT]]


def _cite_rows(text: str, rows: Iterable[Row], begins: int, ends: int) -> Iterator[Row]:
    """Yield the parts of rows in a piece, counted from the piece's beginning: all of a row, or else its sentences."""
    for row in rows:
        start, end = max(row.start, begins), min(row.end, ends)
        whole = not _SEEN.search(text, row.start, start) and not _SEEN.search(text, end, row.end)
        for stretch in [text[start:end]] if whole else split_sentences(text[start:end]):
            words = stretch.strip()
            at = start - begins + len(stretch) - len(stretch.lstrip())
            if words and (whole or row.name):
                yield Row(at, at + len(words), row.name)
            start += len(stretch)


def runs(text: str, start: int, end: int, rows: Sequence[Row], room: int) -> Iterator[list[Stretch]]:
    """Cut a text into stretches of at most CAPACITY, the first of at most `room` unless it is a whole row.

    A row or paragraph is one stretch if it fits, else it is cut into sentences, which join their continuation if both
    fit. A row that does not fit is a separate run, so that no piece mixes parts of rows.
    """
    run: list[Stretch] = []
    for begins, ends, is_row in _spans(text, start, end, rows):
        if is_row and estimate_tokens(text[begins:ends].rstrip()) <= CAPACITY:
            run.append((begins, ends))
            continue
        if is_row and run:
            yield run
            run = []
        for stretch in [(begins, ends)] if is_row else _paragraphs(text, begins, ends):
            most = room if stretch[0] == start else CAPACITY
            if estimate_tokens(text[slice(*stretch)].rstrip()) <= most:
                run.append(stretch)
            else:
                run += _join_continuations(text, _sentences(text, *stretch, most), most)
        if is_row:
            yield run
            run = []
    if run:
        yield run


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
    inner = (gap.end() for gap in _PARAGRAPH.finditer(text, start, end))
    return pairwise([start, *(edge for edge in inner if edge < end), end])


def _sentences(text: str, start: int, end: int, most: int) -> Iterator[Stretch]:
    for sentence in split_sentences(text[start:end]):
        ends = start + len(sentence)
        if estimate_tokens(sentence.rstrip()) <= most:
            yield start, ends
        else:
            yield from _chunks(text, start, ends, most)
        start = ends


def _join_continuations(text: str, sentences: Iterable[Stretch], most: int) -> Iterator[Stretch]:
    """Return the sentences, joined to those that they continue."""
    held: Stretch | None = None
    for start, end in sentences:
        if held and _GOES_ON.match(text, start) and estimate_tokens(text[held[0] : end]) <= most:
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
        weight = estimate_tokens(block)
        # Pieces of about one size: a last one of a few words would match the wrong queries.
        even = math.ceil(1.2 * weight / math.ceil(weight / most))
        # Not MarkdownSplitter: in a long paragraph it cuts at a quotation mark or an apostrophe, not between words.
        chunks = TextSplitter.from_callback(estimate_tokens, min(most, even), trim=False).chunks(block)
        if start + len(block) < end:
            chunks.pop()  # the block's end may have cut it: the next block begins with it
        for chunk in chunks:
            yield start, start + len(chunk)
            start += len(chunk)


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
    """All batches of a document, how many passages they hold, and a question that they answer."""

    batches: list[Batch]
    passages: int
    suggestion: str | None = None


def split_into_batches(task: SplitDocumentTask, objects: Objects, most: int = MAX_PASSAGES) -> SplitDocumentResult:
    """Cut a document into passages, and these into batches; raises BadDocument for more than `most` passages."""
    document = document_from(objects.get_json(task.document_key))
    pieces = split(document)
    passages = [
        Passage(
            passage_id=passage_id(task.document_id, task.generation, position),
            document=task.key,
            collection=task.collection,
            document_id=task.document_id,
            tags=list(document.tags),
            date=document.date,
            **asdict(piece),
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
    sections = [(piece.title, piece.text) for piece in pieces]
    question = suggestion(document.title, document.tags, sections) or None
    return SplitDocumentResult(batches=batches, passages=len(passages), suggestion=question)
