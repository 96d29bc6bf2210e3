"""The pieces that a reader makes of a text, and their rows for citations."""

from selfrag.domain.documents import Document
from selfrag.reader.readers import parse


def read_page(html: str) -> Document:
    """Return a web page as a Document."""
    return parse("page.html", html.encode())


def read_markdown(text: str) -> Document:
    """Return a text in Markdown as a Document."""
    return parse("a.md", text.encode())


def rows_of(document: Document) -> list[str]:
    """Return the text of each of its rows."""
    return [document.text[row.start : row.end] for row in document.rows]
