"""The readers of files by kind.

A reader is loaded with the first file of its kind, and its libraries with it: a function that starts reads one file.
"""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import PurePosixPath

from selfrag.domain.documents import MAX_DOCUMENT_BYTES, Document, Heading, has_words
from selfrag.domain.errors import BadDocument
from selfrag.domain.kinds import EXTENSIONS, ending_of
from selfrag.domain.writing import Read
from selfrag.reader.kinds import refusal
from selfrag.reader.labels import day_in
from selfrag.reader.processes.child import begin

# A short, separate line that does not end like a sentence.
_PLAIN = re.compile(
    r"(?:\A|\n[ \t]*+\r?\n)(?P<line>[^\s][^\r\n]{0,79}?)(?<![\s.!?:;,。！？：；、，])(?=[ \t]{0,9}\r?\n[ \t]{0,9}\r?\n)"
)
# Readers by file extension: of bytes, and of text.
_OF_BYTES = {
    ".pdf": "pdf.reading:read_pdf",
    ".docx": "office.ooxml.docx:read_docx",
    ".pptx": "office.ooxml.pptx:read_pptx",
    ".odt": "office.odf.documents:read_odt",
    ".odp": "office.odf.documents:read_odp",
    ".epub": "office.epub:read_epub",
    ".eml": "office.eml:read_eml",
    ".ics": "office.calendars:read_ics",
    ".ods": "data.workbooks.ods:read_ods",
    ".xls": "data.workbooks.binary:read_xls",
    ".xlsb": "data.workbooks.binary:read_xlsb",
    **dict.fromkeys((".xlsx", ".xlsm"), "data.workbooks.xlsx:read_xlsx"),
}
_OF_TEXT = {
    **dict.fromkeys((".md", ".markdown"), "web.markdown:read_markdown"),
    **dict.fromkeys((".html", ".htm"), "web.html:read_html"),
    **dict.fromkeys((".csv", ".tsv"), "data.delimited:read_csv"),
    **dict.fromkeys((".jsonl", ".ndjson"), "data.json_files:read_json_lines"),
    **dict.fromkeys((".txt", ".text"), "readers:read_text"),
    ".json": "data.json_files:read_json",
}
# Kinds dated by programs or templates, not by their author.
_DATED_BY_PROGRAM = frozenset((".docx", ".pptx", ".odt", ".odp", ".ods", ".xlsx", ".xlsm", ".pdf"))


@dataclass(frozen=True)
class FileParts:
    """Pages, chapters or attachments of a file, from 1: those to skip, and a callback for the next one."""

    without: Collection[int] = ()
    begin: Callable[[int], None] = lambda part: None


ALL = FileParts()


def parse_here(key: str, content: bytes, without: list[int], seconds: float) -> Document:
    """Run `parse` in the worker, which ends if a part takes more than these seconds."""
    return parse(key, content, FileParts(without, partial(begin, seconds=seconds)))


def parse(key: str, content: bytes, parts: FileParts = ALL) -> Document:
    """Parse a file by the extension of `key`; raises only BadDocument, if it is unreadable or has no words.

    Text files keep their text; other kinds give the visible text.
    """
    if ending_of(key) not in EXTENSIONS:
        of_no_kind = f"{key} is of no kind that is read; use one of {', '.join(sorted(EXTENSIONS))}."
        raise BadDocument(refusal(key) or of_no_kind)
    if len(content) > MAX_DOCUMENT_BYTES:
        raise BadDocument(f"{key} is larger than 10 MB; split it into several files.")
    document = _read(key, content, parts)
    if not has_words(document.text):
        raise BadDocument(f"{key} holds no words.")
    written = None if ending_of(key) in _DATED_BY_PROGRAM else document.date
    date = written or day_in(PurePosixPath(key).name, document.title) or document.date
    return replace(document, date=date)


def read_text(key: str, text: str) -> Document:
    """Read plain text; the first separate line is the title."""
    headings = plain_headings(text)
    title = next((heading.text for heading in headings if heading.level == 1), PurePosixPath(key).name)
    return Document(key, title, text, headings)


def _read(key: str, content: bytes, parts: FileParts) -> Document:
    """Read a file by its kind; encoding warnings come first."""
    ending = ending_of(key)
    match ending:
        case ".pdf":
            # No page number is this high.
            return _load(ending)(key, content, parts.without, parts.begin, _reader_within(parts, number=10_000))
        case ".docx" | ".epub" | ".eml":
            return _load(ending)(key, content, _reader_within(parts))
    if ending in _OF_BYTES:
        return _load(ending)(key, content)
    from selfrag.reader.data.encodings import decode

    text, warnings = decode(key, content, declares=ending in (".html", ".htm"))
    document = _load(ending)(key, text)
    return replace(document, warnings=(*warnings, *document.warnings))


def _load(ending: str) -> Callable[..., Document]:
    """Import the reader of a kind on first use."""
    module, _, name = (_OF_BYTES | _OF_TEXT)[ending].partition(":")
    reader: Callable[..., Document] = getattr(import_module(f"selfrag.reader.{module}"), name)
    return reader


def _reader_within(parts: FileParts, number: int = 0) -> Read:
    """Return the reader for nested files, which are the parts after this number."""

    def read_within(name: str, content: bytes) -> Document:
        nonlocal number
        number += 1
        if number in parts.without:
            raise BadDocument(f"{name} is damaged or too complex and was left out.")
        parts.begin(number)
        try:
            return parse(name, content)
        finally:
            parts.begin(0)

    return read_within


def plain_headings(text: str) -> tuple[Heading, ...]:
    """Return the lines of a plain text that look like headings: the first line of all is its title."""
    lines = [line for line in _PLAIN.finditer(text) if has_words(line["line"])]
    return tuple(Heading(m.start("line"), m.end(), 2 if m.start("line") else 1, m["line"]) for m in lines)
