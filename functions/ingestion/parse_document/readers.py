"""From a file to a Document: Markdown, text, HTML, PDF, Word and CSV."""

from collections.abc import Callable
from pathlib import PurePosixPath

from ingestion.parse_document.docx import read_docx
from ingestion.parse_document.headings import plain_headings
from ingestion.parse_document.kinds import TEXT, refuse_other_kinds
from ingestion.parse_document.pdf.guarded import read_contained
from ingestion.parse_document.table import read_csv
from ingestion.parse_document.web.html import read_html
from ingestion.parse_document.web.markdown import read_markdown
from selfrag.domain.documents import EXTENSIONS, MAX_DOCUMENT_BYTES, Document, has_words
from selfrag.domain.errors import BadDocument


def parse(key: str, content: bytes) -> Document:
    """What a file says; raises BadDocument if it cannot be read or holds no words.

    The extension of `key` tells the kind. The text of a text file is the file's own, and that of Markdown is but
    for tables and definitions; that of the others is what a reader would see. No content makes it raise anything else.
    """
    read = READERS.get(PurePosixPath(key).suffix.lower())
    if read is None:
        raise BadDocument(f"{key} is of no kind that is read; use one of {', '.join(sorted(EXTENSIONS))}.")
    if len(content) > MAX_DOCUMENT_BYTES:
        raise BadDocument(f"{key} is larger than 10 MB; split it into several files.")
    document = read(key, content)
    if not has_words(document.text):
        raise BadDocument(f"{key} holds no words.")
    return document


def _read_markdown(key: str, content: bytes) -> Document:
    return read_markdown(key, _decoded(key, content))


def _read_text(key: str, content: bytes) -> Document:
    text = _decoded(key, content)
    headings = plain_headings(text)
    title = next((heading.text for heading in headings if heading.level == 1), PurePosixPath(key).name)
    return Document(key, title, text, headings)


def _read_html(key: str, content: bytes) -> Document:
    return read_html(key, _decoded(key, content))


def _read_csv(key: str, content: bytes) -> Document:
    return read_csv(key, _decoded(key, content))


def _decoded(key: str, content: bytes) -> str:
    refuse_other_kinds(key, content, TEXT)
    if b"\0" in content:
        raise BadDocument(f"{key} holds a NUL byte, so it is not text; save it as UTF-8 text.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadDocument(f"{key} is not valid UTF-8 (at byte {error.start}); save it as UTF-8 text.") from error


# One for each of EXTENSIONS.
READERS: dict[str, Callable[[str, bytes], Document]] = {
    ".md": _read_markdown,
    ".markdown": _read_markdown,
    ".txt": _read_text,
    ".text": _read_text,
    ".html": _read_html,
    ".htm": _read_html,
    ".pdf": read_contained,
    ".docx": read_docx,
    ".csv": _read_csv,
}
