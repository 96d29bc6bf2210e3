"""The readers of files by kind.

A reader is loaded with the first file of its kind, and its libraries with it: a function that starts reads one file.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import PurePosixPath
from typing import Any

from selfrag.domain.documents import MAX_DOCUMENT_BYTES, Document, has_words
from selfrag.domain.errors import BadDocument
from selfrag.domain.kinds import EXTENSIONS, ending_of
from selfrag.reader.headings import plain_headings
from selfrag.reader.kinds import refusal
from selfrag.reader.processes.child import begin


@dataclass(frozen=True)
class Parts:
    """The pages, chapters or attachments of a file, from 1: those left out, and who is told of the next one."""

    without: Collection[int] = ()
    begin: Callable[[int], None] = lambda part: None


ALL = Parts()
Read = Callable[[str, bytes, Parts], Document]


def parse_here(key: str, content: bytes, without: list[int], seconds: float) -> Document:
    """Return what `parse` does in a worker process, which ends if one part takes more than these seconds."""
    return parse(key, content, Parts(without, partial(begin, seconds=seconds)))


def parse(key: str, content: bytes, parts: Parts = ALL) -> Document:
    """Return a file as a Document; raises BadDocument if it cannot be read or holds no words.

    The extension of `key` tells the kind. The text of a text file is the file's own, that of the others is what a
    person would see. No content makes it raise anything else.
    """
    read = READERS.get(ending_of(key))
    if read is None:
        of_no_kind = f"{key} is of no kind that is read; use one of {', '.join(sorted(EXTENSIONS))}."
        raise BadDocument(refusal(key) or of_no_kind)
    if len(content) > MAX_DOCUMENT_BYTES:
        raise BadDocument(f"{key} is larger than 10 MB; split it into several files.")
    document = read(key, content, parts)
    if not has_words(document.text):
        raise BadDocument(f"{key} holds no words.")
    return document


def read_text(key: str, text: str) -> Document:
    """Return a plain text as a Document: the first of its lines that stand alone is its title."""
    headings = plain_headings(text)
    title = next((heading.text for heading in headings if heading.level == 1), PurePosixPath(key).name)
    return Document(key, title, text, headings)


def _loaded(reader: str) -> Any:
    module, _, function = reader.partition(":")
    return getattr(import_module(f"selfrag.reader.{module}"), function)


def _of_bytes(reader: str) -> Read:
    """Return the reader `module:function` of this package, which gets a file's bytes."""
    return lambda key, content, parts: _loaded(reader)(key, content)


def _of_pages(reader: str) -> Read:
    """Return a reader of a kind whose parts are pages."""
    return lambda key, content, parts: _loaded(reader)(key, content, parts.without, parts.begin)


def _of_files(reader: str) -> Read:
    """Return a reader of a kind whose parts are files of other kinds."""

    def read(key: str, content: bytes, parts: Parts) -> Document:
        number = 0

        def read_within(name: str, inner: bytes) -> Document:
            nonlocal number
            number += 1
            if number in parts.without:
                raise BadDocument(f"{name} is damaged or too complex and was left out.")
            parts.begin(number)
            try:
                return parse(name, inner)
            finally:
                parts.begin(0)

        document: Document = _loaded(reader)(key, content, read_within)
        return document

    return read


def _of_text(reader: str, declares: bool = False) -> Read:
    """Return a reader that gets a file's text; warnings of its encoding come before its own."""

    def read(key: str, content: bytes, parts: Parts) -> Document:
        text, warnings = _loaded("data.encodings:decoded")(key, content, declares)
        document: Document = _loaded(reader)(key, text)
        return replace(document, warnings=(*warnings, *document.warnings))

    return read


# One for each of EXTENSIONS.
READERS: dict[str, Read] = {
    **dict.fromkeys((".md", ".markdown"), _of_text("web.markdown:read_markdown")),
    **dict.fromkeys((".txt", ".text"), _of_text("readers:read_text")),
    **dict.fromkeys((".html", ".htm"), _of_text("web.html:read_html", declares=True)),
    ".pdf": _of_pages("pdf.reading:read_pdf"),
    ".docx": _of_bytes("office.ooxml.docx:read_docx"),
    ".pptx": _of_bytes("office.ooxml.pptx:read_pptx"),
    ".odt": _of_bytes("office.odf.documents:read_odt"),
    ".odp": _of_bytes("office.odf.documents:read_odp"),
    ".epub": _of_files("office.epub:read_epub"),
    ".eml": _of_files("office.mail.eml:read_eml"),
    **dict.fromkeys((".csv", ".tsv"), _of_text("data.delimited:read_csv")),
    **dict.fromkeys((".xlsx", ".xlsm"), _of_bytes("data.workbooks.xlsx:read_xlsx")),
    ".xls": _of_bytes("data.workbooks.binary:read_xls"),
    ".xlsb": _of_bytes("data.workbooks.binary:read_xlsb"),
    ".ods": _of_bytes("data.workbooks.ods:read_ods"),
    ".json": _of_text("data.json_files:read_json"),
    **dict.fromkeys((".jsonl", ".ndjson"), _of_text("data.json_files:read_json_lines")),
}
