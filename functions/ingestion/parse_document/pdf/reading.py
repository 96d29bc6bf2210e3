"""The text of a PDF, page by page; `contained` runs it."""

import math
import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import PurePosixPath

from ingestion.parse_document.contained import begin
from ingestion.parse_document.labels import labels
from ingestion.parse_document.pdf import pdfium, told
from ingestion.parse_document.pdf.furniture import without_contents, without_furniture
from ingestion.parse_document.pdf.layout import Laid, laid_out
from ingestion.parse_document.pdf.output import write
from ingestion.parse_document.pdf.pdfium import File
from ingestion.parse_document.pdf.shapes import Sheet
from ingestion.parse_document.pdf.sheets import sheet_of
from ingestion.parse_document.pdf.text.vocabulary import Vocabulary
from selfrag.domain.documents import Document, Labels, has_words
from selfrag.domain.errors import BadDocument
from selfrag.domain.writing import MAX_CHARACTERS, Writer

Begin = Callable[[int], None]
MAX_PAGES = 2000
MAX_TITLE = 200
_CONTROLS = re.compile(r"[\x00-\x1f\x7f]")
_MADE = re.compile(r"(?:D:)?(\d{4})(\d\d)?(\d\d)?")
_WORD_CHARACTER = re.compile(r"[^\W_]")
# Titles that programs give to a file of which they know none.
_UNTITLED = re.compile(r"\W*(?:anonymous|unspecified|untitled(?: document)?|unknown|none)\W*", re.IGNORECASE)


def read_pdf(key: str, content: bytes, without: Container[int] = (), begun: Begin = lambda page: None) -> Document:
    """Return what the pages say; raises BadDocument, or MemoryError if there is not enough of it.

    The pages in `without`, counted from 1, are taken for damaged; `begun` is told of each page before it is read, and
    of 0 when all are.
    """
    with _opened(key, content) as file:
        sheets = list(_sheets(key, file, without, begun))
        lost = [number for number, sheet in enumerate(sheets, 1) if sheet.lost]
        if not any(map(_has_words, sheets)):
            raise BadDocument(told.without_text(key, len(sheets), lost))
        writer = Writer(key)
        write(writer, _laid_out(sheets), [_cleaned(file.label(page)) for page in range(len(sheets))])
        texts = (one.text for sheet in sheets for one in sheet.segments)
        writer.warnings.extend(told.warnings(key, content, len(sheets), lost, _scanned(sheets), texts))
        return writer.document(_title(file, writer) or PurePosixPath(key).name, _labels(file))


def read_here(key: str, content: bytes, without: list[int], seconds: float) -> Document:
    """Return the same in a process of its own, which ends if one page takes more than these seconds."""
    return read_pdf(key, content, without, partial(begin, seconds=seconds))


def pages_without_text(key: str, content: bytes) -> list[int]:
    """Return the pages, counted from 1, that show pictures and hold no text; raises BadDocument."""
    with _opened(key, content) as file:
        return _scanned(_sheets(key, file))


@contextmanager
def _opened(key: str, content: bytes) -> Iterator[File]:
    try:
        with pdfium.opened(content) as file:
            yield file
    except pdfium.Encrypted as error:
        raise BadDocument(f"{key} is encrypted; save it without a password and without restrictions.") from error
    except pdfium.CannotOpen as error:
        state = "is cut off at its end" if told.is_cut_off(content) else "is a damaged PDF"
        raise BadDocument(f"{key} {state} and cannot be read; save it as PDF again.") from error


def _sheets(key: str, file: File, without: Container[int] = (), begun: Begin = lambda page: None) -> Iterator[Sheet]:
    if file.pages > MAX_PAGES:
        raise BadDocument(
            f"{key} has {file.pages} pages, and at most {MAX_PAGES} are read; split it into several files."
        )
    length = 0
    for number in range(1, file.pages + 1):
        if number in without:
            yield Sheet(lost=True)
            continue
        begun(number)
        with file.page(number - 1) as page:
            length += page.length if page else 0
            if length > MAX_CHARACTERS:
                millions = MAX_CHARACTERS // 1_000_000
                raise BadDocument(f"{key} has more than {millions} million characters; split it into several files.")
            yield sheet_of(page) if page else Sheet(lost=True)
    begun(0)


def _laid_out(sheets: Sequence[Sheet]) -> list[list[Laid]]:
    words = Vocabulary(one.text for sheet in sheets for one in sheet.segments)
    pages = zip(sheets, without_furniture(sheets), strict=True)
    return [laid_out(without_contents(segments), sheet, words) for sheet, segments in pages]


def _has_words(sheet: Sheet) -> bool:
    return any(has_words(one.text) for one in (*sheet.segments, *sheet.across))


def _scanned(sheets: Iterable[Sheet]) -> list[int]:
    return [number for number, sheet in enumerate(sheets, 1) if sheet.pictures and not _has_words(sheet)]


def _title(file: File, writer: Writer) -> str:
    """Return what the file says, or else its highest heading if that is on the first page."""
    said = _cleaned(file.property("Title"))[:MAX_TITLE]
    if has_words(said) and not _UNTITLED.fullmatch(said):
        return said
    second = writer.parts[1].start if len(writer.parts) > 1 else math.inf
    above = [heading for heading in writer.headings if heading.start < second and heading.level == 1]
    return above[0].text if above and len(_WORD_CHARACTER.findall(above[0].text)) > 1 else ""


def _labels(file: File) -> Labels:
    made = _MADE.match(file.property("CreationDate"))
    date = f"{made[1]}-{made[2] or '01'}-{made[3] or '01'}" if made else ""
    return labels([_cleaned(file.property("Keywords"))], date)


def _cleaned(text: str) -> str:
    return " ".join(_CONTROLS.sub(" ", text).split())
