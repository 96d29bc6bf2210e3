"""HTML: what a browser would show of a page, without what only helps to get about in it."""

import re
from pathlib import PurePosixPath

from selectolax.lexbor import LexborHTMLParser

from selfrag.domain.documents import Document, Labels
from selfrag.domain.errors import BadDocument
from selfrag.domain.writing import Writer
from selfrag.reader.labels import labels
from selfrag.reader.web.furniture import names, refuse_navigation
from selfrag.reader.web.navigation import Navigation
from selfrag.reader.web.page import PageWriter
from selfrag.reader.web.survey import Survey

MAX_DEPTH = 1000
MAX_TAGS = 1_500_000  # a tag takes some 350 bytes of memory, and ten megabytes can hold three million
# Tags that HTML lets an author leave open, or that are never closed, say nothing about depth.
_LEFT_OPEN = names(
    "area base br col dd dt embed hr img input li link meta option p source tbody td tfoot th thead tr track wbr"
)
# The names by which pages tell their day, in the order in which they are believed.
_DATES = ("date", "dcterms.date", "dc.date", "article:modified_time", "article:published_time")
_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/<>]*+)[^<>]*+>")
_OPENING = re.compile(r"<[a-zA-Z!?]")


def read_html(key: str, text: str) -> Document:
    """Return a page as a Document, named by its title or first heading.

    Raises BadDocument for a page that has too many tags, cannot be read, or holds only furniture.
    """
    try:
        document, left_out = _read(key, text)
    except BadDocument:
        raise
    except MemoryError:
        raise
    except Exception as error:  # selectolax says little about what it may raise, and any page is to be expected
        raise BadDocument(f"{key} cannot be read as HTML; save it again or as text.") from error
    refuse_navigation(document, left_out)
    return document


def tree_of(key: str, html: str) -> LexborHTMLParser:
    """Parse a page; raises BadDocument for too many tags. What nests too deep is put beside what it stands in."""
    if len(_OPENING.findall(html)) > MAX_TAGS:
        raise BadDocument(f"{key} has more than {MAX_TAGS:,} tags; split it into several files.")
    return LexborHTMLParser(_flattened(html))


def _read(key: str, html: str) -> tuple[Document, bool]:
    """Return a page as a Document, and whether navigation and the like was left out."""
    tree, writer = tree_of(key, html), Writer(key)
    named = tree.css_first("head title", default=None)
    title, page_labels = " ".join(named.text().split()) if named else "", _labels(tree)
    if tree.root is None:
        return writer.document(title, page_labels), False
    survey = Survey(tree.root, PurePosixPath(key).name)
    navigation = Navigation(tree.root, survey.facts, survey.marked)
    PageWriter(writer, survey.facts, navigation.emptied, title or PurePosixPath(key).name).write(tree.root)
    first = next((heading.text for heading in writer.headings if heading.level == 1), PurePosixPath(key).name)
    return writer.document(title or first, page_labels), navigation.left_out


def _labels(tree: LexborHTMLParser) -> Labels:
    metadata: dict[str, str] = {}
    for meta in tree.css("head meta"):
        name = meta.attributes.get("name") or meta.attributes.get("property") or ""
        metadata.setdefault(name.lower(), meta.attributes.get("content") or "")
    return labels([metadata.get("keywords", "")], next((metadata[name] for name in _DATES if name in metadata), ""))


def _flattened(html: str) -> str:
    """Leave out the tags that nest deeper than any page should: parsing takes time with the square of the depth."""
    depth = 0

    def shown(tag: re.Match[str]) -> str:
        nonlocal depth
        if tag[2].lower() in _LEFT_OPEN or tag[0].endswith("/>"):
            return tag[0]
        deepest = depth + (not tag[1])
        depth = max(0, depth + (-1 if tag[1] else 1))
        return tag[0] if deepest <= MAX_DEPTH else " "

    return _TAG.sub(shown, html)
