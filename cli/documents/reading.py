"""From a file to a Document: Markdown, text and HTML, in UTF-8."""

from pathlib import Path, PurePosixPath

from cli.documents.document import BadDocument, Document, has_words
from cli.documents.headings import markdown_headings, plain_headings
from cli.documents.html import visible_text

MAX_BYTES = 10 * 1024 * 1024
MARKDOWN, TEXT, HTML = {".md", ".markdown"}, {".txt", ".text"}, {".html", ".htm"}
EXTENSIONS = MARKDOWN | TEXT | HTML


def read_content(file: Path, path: str) -> bytes:
    """The bytes of a file; raises BadDocument, with `path` as its name, if it is too large or cannot be read."""
    try:
        with file.open("rb") as opened:
            content = opened.read(MAX_BYTES + 1)
    except OSError as error:
        raise BadDocument(f"{path} cannot be read: {error.strerror}.") from error
    if len(content) > MAX_BYTES:
        raise BadDocument(f"{path} is larger than 10 MB; split it into several files.")
    return content


def to_document(path: str, content: bytes) -> Document:
    """What a file says; raises BadDocument if it is not UTF-8 text or holds no words.

    `path` is that of the file below its directory, with slashes; its extension tells the kind. The text of a
    Markdown or text file is the file's own, that of an HTML file is what a browser would show.
    """
    if b"\0" in content:
        raise BadDocument(f"{path} holds a NUL byte, so it is not text; save it as UTF-8 text.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadDocument(f"{path} is not valid UTF-8 (at byte {error.start}); save it as UTF-8 text.") from error
    document = _parsed(path, text)
    if not has_words(document.text):
        raise BadDocument(f"{path} holds no words.")
    return document


def _parsed(path: str, text: str) -> Document:
    name, extension = PurePosixPath(path).name, PurePosixPath(path).suffix.lower()
    title = ""
    if extension in HTML:
        title, text, headings = visible_text(text)
    else:
        headings = markdown_headings(text) if extension in MARKDOWN else plain_headings(text)
    title = title or next((heading.text for heading in headings if heading.level == 1), name)
    return Document(path, title, text, headings)
