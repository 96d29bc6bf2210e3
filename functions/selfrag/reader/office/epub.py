"""EPUB books: the chapters are HTML pages in spine order."""

import re
from pathlib import PurePosixPath
from posixpath import dirname, join, normpath
from urllib.parse import unquote

from selectolax.lexbor import LexborHTMLParser

from selfrag.domain.documents import Document
from selfrag.domain.errors import BadDocument
from selfrag.domain.writing import Read, Writer
from selfrag.reader.archive import XmlArchive, open_archive
from selfrag.reader.kinds import EPUB
from selfrag.reader.office.properties import Properties

_CONTAINER, _ENCRYPTION = "META-INF/container.xml", "META-INF/encryption.xml"
_PAGES = frozenset({"application/xhtml+xml", "text/html"})
# Font obfuscation, which is not encryption of the text.
_OF_FONTS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
# XML elements may close themselves, but HTML would take the following text for their content. An <aside> of a book is a
# note.
_CLOSED = re.compile(rb"<(title|script|style|textarea|iframe|noscript|a|div|span|p|i|b|em|strong)\b([^<>]*?)/>", re.I)
_ASIDE = re.compile(rb"<(/?)aside\b", re.I)
_REFERENCE = re.compile(rb"(<a\b[^<>]*\bnoteref\b[^<>]*>(?:<sup>)?)([^<>]*)(?=<)", re.I)
MAX_CHAPTERS = 5000


def read_epub(key: str, content: bytes, read: Read) -> Document:
    """Return the chapters in order, without the table of contents; `read` reads a page. Raises BadDocument."""
    writer, lost = Writer(key), 0
    with open_archive(key, content, EPUB) as archive:
        for name, attributes in archive.elements(_ENCRYPTION):
            if name == "EncryptionMethod" and attributes.get("Algorithm") not in _OF_FONTS:
                raise BadDocument(f"{key} is protected against copying (DRM); get it without, or as another document.")
        elements = archive.elements(_CONTAINER)
        roots = (attributes.get("full-path") for name, attributes in elements if name == "rootfile")
        package = _Package(next(filter(None, roots), ""))
        archive.parse(package.path, package)
        for part in package.chapters(archive)[:MAX_CHAPTERS]:
            page = _ASIDE.sub(rb"<\1div", _CLOSED.sub(rb"<\1\2></\1>", archive.read_part(part)))
            page = _REFERENCE.sub(rb"\1[\2]", page)
            if part in package.contents_within and _is_of_links(page):
                continue
            try:
                chapter = read(f"{key} chapter {PurePosixPath(part).stem}.html", page)
            except BadDocument:  # a page of pictures has no words
                lost += b"<img" not in page and b"<svg" not in page
                continue
            writer.document_within(chapter)
            writer.warnings += chapter.warnings
    if lost:
        writer.warnings.append(f"{key} has {lost} chapters that cannot be read or hold no words.")
    return writer.document(package.title, package.labels())


def _is_of_links(page: bytes) -> bool:
    """Return whether at least half of a page's letters stand in links."""
    body = LexborHTMLParser(page).body
    linked = sum(len(link.text()) for link in body.css("a[href]")) if body else 0
    return body is not None and 2 * linked >= sum(map(len, body.text().split()))


class _Package(Properties):
    """The parts of a book, and the order in which they are read."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self.path = path
        self._items: dict[str, str] = {}
        self._spine: list[tuple[bool, str]] = []
        self._contents: set[str] = set()
        # Parts with the table of contents; some books have it in one part with their first chapters.
        self.contents_within: set[str] = set()

    def start(self, name: str, attributes: dict[str, str]) -> None:
        super().start(name, attributes)
        href = attributes.get("href", "")
        if name == "item":
            if "nav" in attributes.get("properties", "").split():
                self._contents.add(self._part(href))
            if attributes.get("media-type", "") in _PAGES:
                self._items[attributes.get("id", "")] = self._part(href)
        elif name == "itemref":
            self._spine.append((attributes.get("linear") == "no", attributes.get("idref", "")))
        elif name == "reference" and attributes.get("type") == "toc":
            self.contents_within.add(self._part(href))

    def chapters(self, archive: XmlArchive) -> list[str]:
        """Return the parts in reading order; non-linear ones such as notes come last."""
        spine = [item for _, item in sorted(self._spine, key=lambda entry: entry[0])]
        parts = dict.fromkeys(self._items[item] for item in spine if item in self._items)
        return [part for part in parts if part in archive.names and part not in self._contents]

    def _part(self, href: str) -> str:
        return normpath(join(dirname(self.path), unquote(href.partition("#")[0])))
