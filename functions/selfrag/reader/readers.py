"""The readers of files by kind.

A reader is loaded with the first file of its kind, and its libraries with it: a function that starts reads one file.
"""

import re
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import PurePosixPath

from selfrag.domain.documents import MAX_DOCUMENT_BYTES, Document, Heading, has_words
from selfrag.domain.errors import BadDocument
from selfrag.domain.kinds import EXTENSIONS, ending_of, refused_as
from selfrag.domain.writing import Read
from selfrag.reader.labels import day_in
from selfrag.reader.processes import child

# A short, separate line that does not end like a sentence.
_PLAIN = re.compile(
    r"(?:\A|\n[ \t]*+\r?\n)(?P<line>[^\s][^\r\n]{0,79}?)(?<![\s.!?:;,。！？：；、，])(?=[ \t]{0,9}\r?\n[ \t]{0,9}\r?\n)"
)
# Readers by file extension: of bytes, and of text.
_OF_BYTES = {
    ".pdf": "pdf.reading:read_pdf",
    ".docx": "office.ooxml.docx:read_docx",
    ".pptx": "office.ooxml.pptx:read_pptx",
    **dict.fromkeys((".odt", ".odp"), "office.odf.documents:read_odf"),
    ".epub": "office.epub:read_epub",
    ".eml": "office.eml:read_eml",
    ".ics": "office.calendars:read_ics",
    ".ods": "data.workbooks.ods:read_ods",
    **dict.fromkeys((".xls", ".xlsb"), "data.workbooks.binary:read_binary"),
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


def parse_here(key: str, content: bytes, without: list[int], seconds: float) -> Document:
    """Run `parse` in the worker, which ends if a part takes more than these seconds."""
    return parse(key, content, without, partial(child.begin, seconds=seconds))


def parse(
    key: str, content: bytes, without: Collection[int] = (), begin: Callable[[int], None] = lambda part: None
) -> Document:
    """Parse a file by the extension of `key`; raises only BadDocument, if it is unreadable or has no words.

    Text files keep their text; other kinds give the visible text. The pages, chapters or attachments in `without`,
    counted from 1, are skipped; `begin` is called with the next one.
    """
    if ending_of(key) not in EXTENSIONS:
        of_no_kind = f"{key} is of no kind that is read; use one of {', '.join(sorted(EXTENSIONS))}."
        raise BadDocument(f"{key} is {reason}." if (reason := refused_as(key)) else of_no_kind)
    if len(content) > MAX_DOCUMENT_BYTES:
        raise BadDocument(f"{key} is larger than 10 MB; split it into several files.")
    document = _read(key, content, without, begin)
    if not has_words(document.text):
        raise BadDocument(f"{key} holds no words.")
    written = None if ending_of(key) in _DATED_BY_PROGRAM else document.date
    date = written or day_in(PurePosixPath(key).name, document.title) or document.date
    return replace(document, date=date)


def read_text(key: str, text: str) -> Document:
    """Read plain text; lines that look like headings are, and the first line of all is the title."""
    lines = [line for line in _PLAIN.finditer(text) if has_words(line["line"])]
    headings = [Heading(m.start("line"), m.end(), 2 if m.start("line") else 1, m["line"]) for m in lines]
    title = next((heading.text for heading in headings if heading.level == 1), PurePosixPath(key).name)
    return Document(key, title, text, tuple(headings))


def _read(key: str, content: bytes, without: Collection[int], begin: Callable[[int], None]) -> Document:
    """Read a file by its kind, whose reader is imported on first use; encoding warnings come first."""
    ending = ending_of(key)
    module, _, name = (_OF_BYTES | _OF_TEXT)[ending].partition(":")
    read: Callable[..., Document] = getattr(import_module(f"selfrag.reader.{module}"), name)
    if ending == ".pdf":
        # No page number is this high.
        return read(key, content, without, begin, _reader_within(without, begin, number=10_000))
    if ending in (".docx", ".epub", ".eml"):
        return read(key, content, _reader_within(without, begin))
    if ending in _OF_BYTES:
        return read(key, content)
    from selfrag.reader.data.encodings import decode

    text, warnings = decode(key, content, declares=ending in (".html", ".htm"))
    document = read(key, text)
    return replace(document, warnings=(*warnings, *document.warnings))


def _reader_within(without: Collection[int], begin: Callable[[int], None], number: int = 0) -> Read:
    """Return the reader for nested files, which are the parts after this number."""

    def read_within(name: str, content: bytes) -> Document:
        nonlocal number
        number += 1
        if number in without:
            raise BadDocument(f"{name} is damaged or too complex and was left out.")
        begin(number)
        try:
            return parse(name, content)
        finally:
            begin(0)

    return read_within
