"""The text of a PDF, page by page: paragraphs and tables in the order of reading."""

import math
import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import dropwhile, pairwise, takewhile
from typing import Any

from selfrag.domain.documents import Document, has_words
from selfrag.domain.errors import BadDocument
from selfrag.domain.kinds import is_supported_kind
from selfrag.domain.writing import MAX_CHARACTERS, Read, Writer, list_names
from selfrag.reader.kinds import PDF, refuse_other_kinds
from selfrag.reader.labels import labels
from selfrag.reader.pdf.pdfium import File, is_cut_off, open_pdf, page_of, read_attachments
from selfrag.reader.pdf.shapes import PdfSegment, PdfSheet, around
from selfrag.reader.pdf.tables.blocks import blocks, is_caption
from selfrag.reader.pdf.tables.frames import around_frames, is_in
from selfrag.reader.pdf.tables.rows import PdfTable, table_of
from selfrag.reader.pdf.text.columns import reading_order
from selfrag.reader.pdf.text.paragraphs import RIGHT_TO_LEFT, Levels, PdfParagraph, Words, joined_row, paragraphs_of
from selfrag.reader.pdf.text.segments import rows_of, sheet_of

_ROWS = 3  # at the top and at the bottom of a page
_LONGEST = 150  # characters
_LONGEST_ROW = 8  # lines of a row of a table
_CELL_LINES, _LONGEST_END = 5, 60  # lines of a page that may end a cell above a row, and their characters
_NOTE = re.compile(r"\[?\d{1,3}\]?\s|[*†‡]")  # at the foot of a page
_FAR = 2.5  # sizes from a line of a table to the next
_MIN_PAGES = 3
_NEAR = 6  # pages before and after within which a chapter header repeats
_NUMBER = re.compile(r"\d+|\b[ivxlc]+\b")
_LEADS = re.compile(r"(\S)(?<!\1\1)(?<!\1\s\1)(?:\s?\1){4,}+\s*+(?:\d+|[ivxlc]+)$")
_ENDS_IN_A_PAGE = re.compile(r"\s(?:\d+|[ivxlc]+)$")
_MIN_ENTRIES, _LONGEST_ENTRY = 3, 300  # lines, and characters at the end of one
_SHARE = 0.3  # share of a page's lines above which its other entries count as contents, too

Row = list[PdfSegment]
Key = tuple[str, int]


def drop_furniture(sheets: Sequence[PdfSheet]) -> list[list[PdfSegment]]:
    """Return each page's segments without headers and footers.

    Furniture repeats, numbers aside, at the same edge of nearby pages. If most pages would end up empty, as slides that
    repeat one text, everything is kept.
    """
    edges, pages = [_edges(sheet) for sheet in sheets], dict[Key, list[int]]()
    for page, rows in enumerate(edges):
        for key in {key for row in rows for key in _keys(row)}:
            pages.setdefault(key, []).append(page)
    remaining = []
    for page, (sheet, rows) in enumerate(zip(sheets, edges, strict=True)):
        repeated = (row for row in rows if any(_is_near(pages[key], page) for key in _keys(row)))
        dropped = {id(segment) for row in repeated for segment in row}
        remaining.append([segment for segment in sheet.segments if id(segment) not in dropped])
    most_remain = 2 * sum(map(bool, remaining)) >= sum(bool(sheet.segments) for sheet in sheets)
    return remaining if most_remain else [sheet.segments for sheet in sheets]


def drop_contents(segments: Sequence[PdfSegment]) -> list[PdfSegment]:
    """Drop a table of contents: three or more lines with dot leaders to a page."""
    rows = rows_of(segments)
    leads = [bool(_LEADS.search(_text(row)[-_LONGEST_ENTRY:])) for row in rows]
    if sum(leads) < min(_MIN_ENTRIES, len(rows)):
        return list(segments)
    page_of_them = sum(leads) >= _SHARE * len(rows)
    dropped = {
        id(segment)
        for row, lead in zip(rows, leads, strict=True)
        if lead or (page_of_them and _ENDS_IN_A_PAGE.search(_text(row)))
        for segment in row
    }
    return [segment for segment in segments if id(segment) not in dropped]


def _edges(sheet: PdfSheet) -> list[Row]:
    """Return the first and last lines of a page that are short enough for furniture and outside tables."""
    rows = rows_of(sheet.segments)
    tables = [frame for frame in sheet.frames if any(is_in(row[0], frame) for row in rows[_ROWS:-_ROWS])]
    return [
        row
        for at, row in enumerate(rows)
        if not _ROWS <= at < len(rows) - _ROWS
        and len(_text(row)) <= _LONGEST
        and not any(is_in(row[0], table) for table in tables)
        and not _is_of_a_table(row, rows[at + 1 : at + 1 + _LONGEST_ROW])
        and not _is_of_a_table(row, rows[max(0, at - _LONGEST_ROW) : at][::-1])
    ]


def _is_of_a_table(row: Row, others: Sequence[Row]) -> bool:
    """Return whether a line belongs to a table: a nearby line has as many segments below it."""
    far = [abs(above[0].base - line[0].base) > _FAR * row[0].size for above, line in pairwise([row, *others])]
    near = others[: far.index(True)] if True in far else others
    alike = (line for line in near if len(line) == len(row) > 1)
    return any(all(map(PdfSegment.is_over, row, line)) for line in alike)


def _is_near(pages: Sequence[int], page: int) -> bool:
    return sum(abs(other - page) <= _NEAR for other in pages) >= _MIN_PAGES


def _keys(row: Row) -> Iterator[Key]:
    """Yield comparison keys of a line, without numbers, and of its segments: one of two may be the chapter's."""
    for part in [row, *([segment] for segment in row if len(row) > 1)]:
        yield _NUMBER.sub("#", _text(part)), round(around([segment.box for segment in part]).bottom / 4)


def _text(row: Row) -> str:
    return " ".join(segment.text for segment in row)


Begin = Callable[[int], None]
MAX_PAGES = 2000
MAX_TITLE = 200
_LONGEST_TEXT = 10_000  # characters of a label or a property
_CONTROLS = re.compile(r"[\x00-\x1f\x7f]")
_CREATED = re.compile(r"(?:D:)?(\d{4})(\d\d)?(\d\d)?")
_WORD_CHARACTER = re.compile(r"[^\W_]")
_LATIN_WORD = re.compile(r"(?<![^\W_])[A-Za-z\u00c0-\u024f]+(?![^\W_])")
# Shares of a page: a picture that covers all of it is a scan or a background.
_LARGE, _WHOLE = 0.2, 0.9
_VERY_LONG, _MIN_WORDS, _GLUED_SHARE = 22, 50, 0.01
# Placeholder titles set by programs.
_UNTITLED = re.compile(r"\W*(?:anonymous|unspecified|untitled(?: document)?|unknown|none)\W*", re.IGNORECASE)
PdfElement = PdfParagraph | PdfTable


def read_pdf(
    key: str, content: bytes, without: Container[int] = (), begun: Begin = lambda page: None, read: Read | None = None
) -> Document:
    """Read the pages; raises BadDocument, or MemoryError.

    Pages in `without`, counted from 1, count as damaged. `begun` is called with each page before it is read, and with 0
    at the end. `read` parses attachments.
    """
    refuse_other_kinds(key, content, PDF)
    with open_pdf(key, content) as file:
        sheets = list(_sheets(key, file, without, begun))
        lost = [number for number, sheet in enumerate(sheets, 1) if sheet.lost]
        if not any(map(_has_words, sheets)):
            if lost:
                raise BadDocument(
                    f"{key} has no page that can be read: it is damaged or too complex; print it to a new PDF."
                )
            pages = f"any of its {len(sheets)} pages"
            raise BadDocument(f"{key} holds no text on {pages}, so it is probably scanned; run text recognition on it.")
        writer = Writer(key)
        write(writer, _pages_of(sheets), [_property(file.get_page_label, page) for page in range(len(sheets))])
        writer.warnings.extend(_warnings(key, content, sheets, lost))
        _write_attached(writer, [*read_attachments(file), *(file for sheet in sheets for file in sheet.attached)], read)
        created = _CREATED.match(_property(file.get_metadata_value, "CreationDate"))
        date = f"{created[1]}-{created[2] or '01'}-{created[3] or '01'}" if created else ""
        tags = _property(file.get_metadata_value, "Keywords")
        return writer.document(_title(file, writer), labels([tags], date))


def _sheets(key: str, file: File, without: Container[int], begun: Begin) -> Iterator[PdfSheet]:
    if len(file) > MAX_PAGES:
        raise BadDocument(
            f"{key} has {len(file)} pages, and at most {MAX_PAGES} are read; split it into several files."
        )
    length = 0
    for number in range(1, len(file) + 1):
        if number in without:
            yield PdfSheet(lost=True)
            continue
        begun(number)
        with page_of(file, number) as page:
            length += page.length if page else 0
            if length > MAX_CHARACTERS:
                millions = MAX_CHARACTERS // 1_000_000
                raise BadDocument(f"{key} has more than {millions} million characters; split it into several files.")
            yield sheet_of(page) if page else PdfSheet(lost=True)
    begun(0)


def _pages_of(sheets: Sequence[PdfSheet]) -> list[list[PdfElement]]:
    words = Words(segment.text for sheet in sheets for segment in sheet.segments)
    pages = zip(sheets, drop_furniture(sheets), strict=True)
    elements = [elements_of(drop_contents(segments), sheet, words) for sheet, segments in pages]

    def ends_a_cell(element: PdfElement) -> bool:
        return isinstance(element, PdfParagraph) and len(element.text) <= _LONGEST_END and not element.bold

    def is_a_note(element: PdfElement) -> bool:
        return isinstance(element, PdfParagraph) and _NOTE.match(element.text) is not None

    for before, page in pairwise(elements):
        # The end of a cell may be on separate lines above the first row of a continued table.
        ends = [line for line in takewhile(ends_a_cell, page[:_CELL_LINES]) if isinstance(line, PdfParagraph)]
        first = page[len(ends)] if page[len(ends) :] else None
        last = next(dropwhile(is_a_note, reversed(before)), None)
        if isinstance(first, PdfTable) and isinstance(last, PdfTable):
            del page[: first.go_on(last, ends, words)]
    return elements


def _write_attached(writer: Writer, attached: Iterable[tuple[str, bytes]], read: Read | None) -> None:
    unread = list[str]()
    for name, content in dict.fromkeys(attached):
        if not read or not is_supported_kind(name):
            unread.append(name)
        elif document := writer.read_within(read, f"{writer.key} attachment {name}", content):
            writer.document_within(document, f"attachment {name}")
    if unread:
        writer.warnings.append(f"{writer.key} has attachments that were not read: {list_names(unread)}.")


def _has_words(sheet: PdfSheet) -> bool:
    return any(has_words(segment.text) for segment in (*sheet.segments, *sheet.across))


def _warnings(key: str, content: bytes, sheets: Sequence[PdfSheet], lost: Sequence[int]) -> Iterator[str]:
    """Yield warnings about unreadable content."""
    if is_cut_off(content):
        yield f"{key} is cut off at its end: only what its first {len(sheets)} pages still hold was read."
    if lost:
        yield f"{key} has pages that are damaged or too complex, which were left out: {list_names(lost)}."
    if scanned := [at for at, sheet in enumerate(sheets, 1) if sheet.picture is not None and not sheet.printed]:
        yield f"{key} has pages that show images but hold no text, perhaps scanned: {list_names(scanned)}."
    if noted := [number for number, sheet in enumerate(sheets, 1) if sheet.comments]:
        yield f"{key} has comments or stamps, which are not read: {list_names(noted)}."
    if hidden := [number for number, sheet in enumerate(sheets, 1) if sheet.unseen]:
        count = sum(sheet.unseen for sheet in sheets)
        yield f"{key} has words that a person cannot see ({count}), which were left out: {list_names(hidden)}."
    if any(RIGHT_TO_LEFT.search(segment.text) for sheet in sheets for segment in sheet.segments):
        yield f"{key} has Hebrew or Arabic text, whose words may come in a wrong order; check what is quoted of it."
    shown = [number for number, sheet in enumerate(sheets, 1) if _LARGE < (sheet.picture or 0) < _WHOLE]
    if mixed := [number for number in shown if _has_words(sheets[number - 1])]:
        yield f"{key} has pages with words and a large picture, of which no text or table is read: {list_names(mixed)}."
    words = [word for sheet in sheets for segment in sheet.segments for word in _LATIN_WORD.findall(segment.text)]
    glued = sum(len(word) >= _VERY_LONG for word in words)
    if len(words) >= _MIN_WORDS and glued > _GLUED_SHARE * len(words):
        yield f"{key} has words that run together ({glued} of {len(words)} are very long); print it to a new PDF."


def _title(file: File, writer: Writer) -> str:
    """Return the title property, or the highest heading of the first page."""
    title = _property(file.get_metadata_value, "Title")[:MAX_TITLE]
    if has_words(title) and not _UNTITLED.fullmatch(title):
        return title
    second = writer.parts[1].start if len(writer.parts) > 1 else math.inf
    above = [heading for heading in writer.headings if heading.start < second and heading.level == 1]
    return above[0].text if above and len(_WORD_CHARACTER.findall(above[0].text)) > 1 else ""


def _property(ask: Callable[[Any], str], of: int | str) -> str:
    """Return a page label or property on one line, "" if missing or invalid."""
    with suppress(UnicodeDecodeError):
        return " ".join(_CONTROLS.sub(" ", ask(of)[:_LONGEST_TEXT]).split())
    return ""


def elements_of(segments: Sequence[PdfSegment], sheet: PdfSheet, words: Words) -> list[PdfElement]:
    """Return the paragraphs and tables of segments; `words` knows the document's words.

    Sideways text comes last.
    """
    elements = list[PdfElement]()
    for part, framed in around_frames(segments, sheet.frames):
        # Framed cells are not text columns, however long.
        for region in [part] if framed else reading_order(part, sheet.rules):
            elements += _region(region, sheet, words)
    across = [
        PdfParagraph(segment.text, segment.size, segment.bold, apart=True, across=True) for segment in sheet.across
    ]
    return [*_attach_captions(elements), *across]


def _region(segments: Sequence[PdfSegment], sheet: PdfSheet, words: Words) -> Iterator[PdfElement]:
    rows, done = rows_of(segments), 0
    for block in blocks(rows, sheet.rules, sheet.frames):
        if table := table_of(block, words):
            yield from paragraphs_of([joined_row(row) for row in rows[done : block.start]], words)
            yield table
            done = block.end
    yield from paragraphs_of([joined_row(row) for row in rows[done:]], words)


def _attach_captions(elements: Sequence[PdfElement]) -> Iterator[PdfElement]:
    """Attach captions above or below tables to them."""
    captions = set[int]()
    for at, element in enumerate(elements):
        for near in (at - 1, at + 1):
            neighbour = elements[near] if 0 <= near < len(elements) and near not in captions else None
            text = neighbour.text if isinstance(neighbour, PdfParagraph) else ""
            if isinstance(element, PdfTable) and not element.caption and is_caption(text):
                element.caption = text
                captions.add(near)
    yield from (element for at, element in enumerate(elements) if at not in captions)


def write(writer: Writer, pages: Sequence[Sequence[PdfElement]], labels: Sequence[str]) -> None:
    """Write each page as a part, also empty ones, so that numbers match a viewer's."""
    levels = Levels(element for page in pages for element in page if isinstance(element, PdfParagraph))
    for number, (page, label) in enumerate(zip(pages, labels, strict=True), 1):
        if page:
            writer.line("")
        writer.part(f"page {label or number}", number)
        for at, element in enumerate(page):
            level = levels.level(element) if isinstance(element, PdfParagraph) else 0
            if at and (isinstance(element, PdfTable) or level or element.apart):
                writer.line("")
            if isinstance(element, PdfTable):
                with writer.table(element.caption):
                    if element.caption:
                        writer.line(element.caption)
                    for row in element.rows:
                        writer.row(element.names if row[1:] else [""], row)
            elif level:
                writer.heading(level, element.text)
            else:
                writer.line(element.text)
