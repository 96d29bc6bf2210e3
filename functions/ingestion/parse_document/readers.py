"""From a file to a Document: Markdown, text, HTML, PDF, CSV and what office programs write."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import PurePosixPath

from ingestion.parse_document.contained import read_contained
from ingestion.parse_document.data.delimited import read_csv
from ingestion.parse_document.data.encodings import decoded
from ingestion.parse_document.data.json_files import read_json, read_json_lines
from ingestion.parse_document.data.ods import read_ods
from ingestion.parse_document.data.xlsx import read_xlsx
from ingestion.parse_document.headings import markdown_headings, plain_headings
from ingestion.parse_document.html import MAX_TAGS, count_tags, visible_text
from ingestion.parse_document.kinds import refusal
from ingestion.parse_document.labels import Labels, front_matter
from ingestion.parse_document.office.docx import read_docx
from ingestion.parse_document.office.pptx import read_pptx
from selfrag.domain.documents import EXTENSIONS, MAX_DOCUMENT_BYTES, Document, Heading, has_words
from selfrag.domain.errors import BadDocument


def parse(key: str, content: bytes) -> Document:
    """What a file says; raises BadDocument if it cannot be read or holds no words.

    The extension of `key` tells the kind. The text of a Markdown or text file is the file's own, in UTF-8; that of
    the others is what a reader would see. No content makes it raise anything else.
    """
    read = READERS.get(PurePosixPath(key).suffix.lower())
    if read is None:
        of_no_kind = f"{key} is of no kind that is read; use one of {', '.join(sorted(EXTENSIONS))}."
        raise BadDocument(refusal(key) or of_no_kind)
    if len(content) > MAX_DOCUMENT_BYTES:
        raise BadDocument(f"{key} is larger than 10 MB; split it into several files.")
    document = read(key, content)
    if not has_words(document.text):
        raise BadDocument(f"{key} holds no words.")
    return document


def _in_text(read: Callable[[str, str], Document], declares: bool = False) -> Callable[[str, bytes], Document]:
    """A reader of bytes of one that reads text; what is told of the encoding comes before its own warnings."""

    def read_bytes(key: str, content: bytes) -> Document:
        text, warnings = decoded(key, content, declares)
        document = read(key, text)
        return replace(document, warnings=(*warnings, *document.warnings))

    return read_bytes


def _read_markdown(key: str, text: str) -> Document:
    return _titled(key, "", text, markdown_headings(text), front_matter(text))


def _read_text(key: str, text: str) -> Document:
    return _titled(key, "", text, plain_headings(text), Labels())


def _read_html(key: str, text: str) -> Document:
    if count_tags(text) > MAX_TAGS:
        raise BadDocument(f"{key} has more than {MAX_TAGS:,} tags; split it into several files.")
    try:
        return _titled(key, *visible_text(text))
    except Exception as error:  # selectolax says little about what it may raise, and any page is to be expected
        raise BadDocument(f"{key} cannot be read as HTML; save it again or as text.") from error


def _titled(key: str, title: str, text: str, headings: tuple[Heading, ...], labels: Labels) -> Document:
    first = next((heading.text for heading in headings if heading.level == 1), PurePosixPath(key).name)
    return Document(key, title or first, text, headings, **vars(labels))


# One for each of EXTENSIONS.
READERS: dict[str, Callable[[str, bytes], Document]] = {
    **dict.fromkeys((".md", ".markdown"), _in_text(_read_markdown)),
    **dict.fromkeys((".txt", ".text"), _in_text(_read_text)),
    **dict.fromkeys((".html", ".htm"), _in_text(_read_html, declares=True)),
    ".pdf": read_contained,
    ".docx": read_docx,
    ".pptx": read_pptx,
    **dict.fromkeys((".csv", ".tsv"), _in_text(read_csv)),
    ".json": _in_text(read_json),
    **dict.fromkeys((".jsonl", ".ndjson"), _in_text(read_json_lines)),
    **dict.fromkeys((".xlsx", ".xlsm"), read_xlsx),
    ".ods": read_ods,
}
