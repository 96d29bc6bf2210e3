"""The text of a PDF, page by page."""

import math
import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import PurePosixPath
from typing import Any

from selfrag.domain.documents import Document, Labels, has_words
from selfrag.domain.errors import BadDocument
from selfrag.domain.writing import MAX_CHARACTERS, Writer
from selfrag.reader.kinds import PDF, refuse_other_kinds
from selfrag.reader.labels import labels
from selfrag.reader.pdf.furniture import without_contents, without_furniture
from selfrag.reader.pdf.layout import Laid, laid_out, write
from selfrag.reader.pdf.pdfium import File, is_cut_off, opened, page_of
from selfrag.reader.pdf.shapes import Sheet
from selfrag.reader.pdf.text.paragraphs import Words
from selfrag.reader.pdf.text.segments import sheet_of

Begin = Callable[[int], None]
MAX_PAGES = 2000
MAX_TITLE = 200
_LONGEST_TEXT = 10_000  # characters of a label or a property
_CONTROLS = re.compile(r"[\x00-\x1f\x7f]")
_MADE = re.compile(r"(?:D:)?(\d{4})(\d\d)?(\d\d)?")
_WORD_CHARACTER = re.compile(r"[^\W_]")
_LATIN_WORD = re.compile(r"(?<![^\W_])[A-Za-z\u00c0-\u024f]+(?![^\W_])")
# Shares of a page: what covers all of it is what was scanned, or a background.
_LARGE, _WHOLE = 0.2, 0.9
_VERY_LONG, _LEAST_WORDS, _GLUED_SHARE = 22, 50, 0.01
# Titles that programs give to a file of which they know none.
_UNTITLED = re.compile(r"\W*(?:anonymous|unspecified|untitled(?: document)?|unknown|none)\W*", re.IGNORECASE)


def read_pdf(key: str, content: bytes, without: Container[int] = (), begun: Begin = lambda page: None) -> Document:
    """Return what the pages say; raises BadDocument, or MemoryError if there is not enough of it.

    The pages in `without`, counted from 1, are taken for damaged; `begun` is told of each page before it is read, and
    of 0 when all are.
    """
    refuse_other_kinds(key, content, PDF)
    with opened(key, content) as file:
        sheets = list(_sheets(key, file, without, begun))
        lost = [number for number, sheet in enumerate(sheets, 1) if sheet.lost]
        if not any(map(_has_words, sheets)):
            raise BadDocument(_without_text(key, len(sheets), lost))
        writer = Writer(key)
        write(writer, _laid_out(sheets), [_told(file.get_page_label, page) for page in range(len(sheets))])
        writer.warnings.extend(_warnings(key, content, sheets, lost))
        return writer.document(_title(file, writer) or PurePosixPath(key).name, _labels(file))


def _sheets(key: str, file: File, without: Container[int] = (), begun: Begin = lambda page: None) -> Iterator[Sheet]:
    if len(file) > MAX_PAGES:
        raise BadDocument(
            f"{key} has {len(file)} pages, and at most {MAX_PAGES} are read; split it into several files."
        )
    length = 0
    for number in range(1, len(file) + 1):
        if number in without:
            yield Sheet(lost=True)
            continue
        begun(number)
        with page_of(file, number) as page:
            length += page.length if page else 0
            if length > MAX_CHARACTERS:
                millions = MAX_CHARACTERS // 1_000_000
                raise BadDocument(f"{key} has more than {millions} million characters; split it into several files.")
            yield sheet_of(page) if page else Sheet(lost=True)
    begun(0)


def _laid_out(sheets: Sequence[Sheet]) -> list[list[Laid]]:
    words = Words(one.text for sheet in sheets for one in sheet.segments)
    pages = zip(sheets, without_furniture(sheets), strict=True)
    return [laid_out(without_contents(segments), sheet, words) for sheet, segments in pages]


def _has_words(sheet: Sheet) -> bool:
    return any(has_words(one.text) for one in (*sheet.segments, *sheet.across))


def _scanned(sheets: Iterable[Sheet]) -> list[int]:
    return [number for number, sheet in enumerate(sheets, 1) if sheet.picture is not None and not _has_words(sheet)]


def _without_text(key: str, pages: int, lost: Sequence[int]) -> str:
    if lost:
        return f"{key} has no page that can be read: it is damaged or too complex; print it to a new PDF."
    return f"{key} holds no text on any of its {pages} pages, so it is probably scanned; run text recognition on it."


def _warnings(key: str, content: bytes, sheets: Sequence[Sheet], lost: Sequence[int]) -> Iterator[str]:
    """Yield what could not be read though the rest was."""
    if is_cut_off(content):
        yield f"{key} is cut off at its end: only what its first {len(sheets)} pages still hold was read."
    if lost:
        yield f"{key} has pages that are damaged or too complex, which were left out: {_listed(lost)}."
    if scanned := _scanned(sheets):
        yield f"{key} has pages that show images but hold no text, perhaps scanned: {_listed(scanned)}."
    shown = [number for number, sheet in enumerate(sheets, 1) if _LARGE < (sheet.picture or 0) < _WHOLE]
    if beside := [number for number in shown if _has_words(sheets[number - 1])]:
        yield f"{key} has pages with words and a large picture, of which no text or table is read: {_listed(beside)}."
    words = [word for sheet in sheets for one in sheet.segments for word in _LATIN_WORD.findall(one.text)]
    glued = sum(len(word) >= _VERY_LONG for word in words)
    if len(words) >= _LEAST_WORDS and glued > _GLUED_SHARE * len(words):
        yield f"{key} has words that run together ({glued} of {len(words)} are very long); print it to a new PDF."


def _listed(pages: Sequence[int]) -> str:
    more = f" and {len(pages) - 10} more" if len(pages) > 10 else ""
    return ", ".join(map(str, pages[:10])) + more


def _title(file: File, writer: Writer) -> str:
    """Return what the file says, or else its highest heading if that is on the first page."""
    said = _told(file.get_metadata_value, "Title")[:MAX_TITLE]
    if has_words(said) and not _UNTITLED.fullmatch(said):
        return said
    second = writer.parts[1].start if len(writer.parts) > 1 else math.inf
    above = [heading for heading in writer.headings if heading.start < second and heading.level == 1]
    return above[0].text if above and len(_WORD_CHARACTER.findall(above[0].text)) > 1 else ""


def _labels(file: File) -> Labels:
    made = _MADE.match(_told(file.get_metadata_value, "CreationDate"))
    date = f"{made[1]}-{made[2] or '01'}-{made[3] or '01'}" if made else ""
    return labels([_told(file.get_metadata_value, "Keywords")], date)


def _told(ask: Callable[[Any], str], of: int | str) -> str:
    """Return a label or a property on one line; "" if it is missing or no valid text."""
    with suppress(UnicodeDecodeError):
        return " ".join(_CONTROLS.sub(" ", ask(of)[:_LONGEST_TEXT]).split())
    return ""
