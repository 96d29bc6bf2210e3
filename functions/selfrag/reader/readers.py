"""The readers of files by kind.

A reader is loaded with the first file of its kind, and its libraries with it: a function that starts reads one file.
"""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import partial
from pathlib import PurePosixPath

from selfrag.domain.documents import MAX_DOCUMENT_BYTES, Document, Heading, has_words
from selfrag.domain.errors import BadDocument
from selfrag.domain.kinds import EXTENSIONS, ending_of
from selfrag.reader.kinds import refusal
from selfrag.reader.processes.child import begin

# A short line that stands alone and does not end like a sentence.
_PLAIN = re.compile(
    r"(?:\A|\n[ \t]*+\r?\n)(?P<line>[^\s][^\r\n]{0,79}?)(?<![\s.!?:;,。！？：；、，])(?=[ \t]{0,9}\r?\n[ \t]{0,9}\r?\n)"
)


@dataclass(frozen=True)
class FileParts:
    """The pages, chapters or attachments of a file, from 1: those left out, and a callback for the next one."""

    without: Collection[int] = ()
    begin: Callable[[int], None] = lambda part: None


ALL = FileParts()


def parse_here(key: str, content: bytes, without: list[int], seconds: float) -> Document:
    """Return what `parse` does in a worker process, which ends if one part takes more than these seconds."""
    return parse(key, content, FileParts(without, partial(begin, seconds=seconds)))


def parse(key: str, content: bytes, parts: FileParts = ALL) -> Document:
    """Return a file as a Document; raises BadDocument if it cannot be read or holds no words.

    The extension of `key` tells the kind. The text of a text file is the file's own, that of the others is what a
    person would see. No content makes it raise anything else.
    """
    if ending_of(key) not in EXTENSIONS:
        of_no_kind = f"{key} is of no kind that is read; use one of {', '.join(sorted(EXTENSIONS))}."
        raise BadDocument(refusal(key) or of_no_kind)
    if len(content) > MAX_DOCUMENT_BYTES:
        raise BadDocument(f"{key} is larger than 10 MB; split it into several files.")
    document = _read(key, content, parts)
    if not has_words(document.text):
        raise BadDocument(f"{key} holds no words.")
    return document


def read_text(key: str, text: str) -> Document:
    """Return a plain text as a Document: the first of its lines that stand alone is its title."""
    headings = plain_headings(text)
    title = next((heading.text for heading in headings if heading.level == 1), PurePosixPath(key).name)
    return Document(key, title, text, headings)


def _read(key: str, content: bytes, parts: FileParts) -> Document:
    """Return a file as a Document by the reader of its kind, which is imported with the first file of that kind."""
    match ending_of(key):
        case ".pdf":
            from selfrag.reader.pdf.reading import read_pdf

            return read_pdf(key, content, parts.without, parts.begin)
        case ".docx":
            from selfrag.reader.office.ooxml.docx import read_docx

            return read_docx(key, content)
        case ".pptx":
            from selfrag.reader.office.ooxml.pptx import read_pptx

            return read_pptx(key, content)
        case ".odt" | ".odp" as ending:
            from selfrag.reader.office.odf.documents import read_odp, read_odt

            return (read_odt if ending == ".odt" else read_odp)(key, content)
        case ".epub":
            from selfrag.reader.office.epub import read_epub

            return read_epub(key, content, _reader_within(parts))
        case ".eml":
            from selfrag.reader.office.eml import read_eml

            return read_eml(key, content, _reader_within(parts))
        case ".xlsx" | ".xlsm":
            from selfrag.reader.data.workbooks.xlsx import read_xlsx

            return read_xlsx(key, content)
        case ".xls" | ".xlsb" as ending:
            from selfrag.reader.data.workbooks.binary import read_xls, read_xlsb

            return (read_xls if ending == ".xls" else read_xlsb)(key, content)
        case ".ods":
            from selfrag.reader.data.workbooks.ods import read_ods

            return read_ods(key, content)
    return _read_text_file(key, content)


def _read_text_file(key: str, content: bytes) -> Document:
    """Return a file of text as a Document; warnings of its encoding come before the reader's own."""
    from selfrag.reader.data.encodings import decoded

    ending = ending_of(key)
    text, warnings = decoded(key, content, declares=ending in (".html", ".htm"))
    document = _text_reader(ending)(key, text)
    return replace(document, warnings=(*warnings, *document.warnings))


def _text_reader(ending: str) -> Callable[[str, str], Document]:
    match ending:
        case ".md" | ".markdown":
            from selfrag.reader.web.markdown import read_markdown

            return read_markdown
        case ".html" | ".htm":
            from selfrag.reader.web.html import read_html

            return read_html
        case ".csv" | ".tsv":
            from selfrag.reader.data.delimited import read_csv

            return read_csv
        case ".json":
            from selfrag.reader.data.json_files import read_json

            return read_json
        case ".jsonl" | ".ndjson":
            from selfrag.reader.data.json_files import read_json_lines

            return read_json_lines
    return read_text


def _reader_within(parts: FileParts) -> Callable[[str, bytes], Document]:
    """Return the reader of the files within a file, which are its parts."""
    number = 0

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
