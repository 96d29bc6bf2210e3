"""What a browser would show of an HTML page: its visible text, title and headings."""

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from ingestion.parse_document.headings import MAX_HEADING
from ingestion.parse_document.labels import Labels, labels
from selfrag.domain.documents import Heading, has_words

MAX_DEPTH = 1000
MAX_TAGS = 1_500_000  # a tag takes some 350 bytes of memory, and ten megabytes can hold three million


def _tags(names: str) -> frozenset[str]:
    return frozenset(names.split())


_LEVELS = {f"h{level}": level for level in range(1, 7)}
_UNSEEN = _tags("head script style nav template noscript svg iframe object canvas audio video datalist rt rp")
_BLOCKS = _tags(
    "address article aside blockquote body br caption dd details dialog div dl dt fieldset figcaption figure footer "
    "form h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu ol option p pre search section summary table tbody "
    "tfoot thead tr ul"
)
_CELLS = _tags("td th")
# Tags that HTML lets an author leave open, or that are never closed, say nothing about depth.
_LEFT_OPEN = _tags(
    "area base br col dd dt embed hr img input li link meta option p source tbody td tfoot th thead tr track wbr"
)
# The names by which pages tell their day, in the order in which they are believed.
_DATES = ("date", "dcterms.date", "dc.date", "article:modified_time", "article:published_time")
_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/<>]*+)[^<>]*+>")
_OPENING = re.compile(r"<[a-zA-Z!?]")
_NOT_SHOWN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_SPACE = re.compile(r"[ \t\r\n\f\xa0]+")


def count_tags(html: str) -> int:
    """How many elements and comments a page may open, at most."""
    return len(_OPENING.findall(html))


def visible_text(html: str) -> tuple[str, str, tuple[Heading, ...], Labels]:
    """The title, the visible text, the headings and the labels of a page; blocks stand on lines of their own."""
    tree = LexborHTMLParser(_flattened(html))
    page = _Page()
    node = tree.root
    while node is not None:
        following = node.first_child if page.enter(node) else None
        while following is None and node is not None:
            page.leave(node)
            following, node = node.next, node.parent
        node = following
    title = tree.css_first("head title", default=None)
    name = " ".join(title.text().split()) if title else ""
    return name, "".join(page.parts), tuple(page.headings), _labels(tree)


class _Page:
    """Collects the text in the order of the page."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.headings: list[Heading] = []
        self._length = 0
        self._gap = ""  # what stands between the last text and the next
        self._preformatted = 0
        self._heading_part = 0

    def enter(self, node: LexborNode) -> bool:
        """Take in what begins here; false if what is in it is not visible."""
        if node.is_text_node:
            self._add_text(node.text_content or "")
            return False
        if node.tag in _UNSEEN or _is_hidden(node):
            return False
        self._separate(node)
        self._preformatted += node.tag == "pre"
        if node.tag in _LEVELS:
            self._write(self._gap)
            self._heading_part = len(self.parts)
        return True

    def leave(self, node: LexborNode) -> None:
        """Take in what ends here."""
        if node.tag in _LEVELS:
            self._end_heading(_LEVELS[node.tag])
        self._preformatted -= node.tag == "pre"
        self._separate(node)

    def _end_heading(self, level: int) -> None:
        text = "".join(self.parts[self._heading_part :])
        if len(text) <= MAX_HEADING and has_words(text):
            self.headings.append(Heading(self._length - len(text), self._length, level, " ".join(text.split())))

    def _separate(self, node: LexborNode) -> None:
        if node.tag in _BLOCKS:
            self._gap = "\n"
        elif node.tag in _CELLS and self._gap != "\n":
            self._gap = "\t"

    def _add_text(self, text: str) -> None:
        shown = text if self._preformatted else _SPACE.sub(" ", text)
        words = shown if self._preformatted else shown.strip(" ")
        if shown[:1] == " ":
            self._gap = self._gap or " "
        if words:
            self._write(self._gap)
            self._write(words)
            if shown[-1:] == " ":
                self._gap = " "

    def _write(self, text: str) -> None:
        if self.parts or text.strip():
            self.parts.append(text)
            self._length += len(text)
        self._gap = ""


def _labels(tree: LexborHTMLParser) -> Labels:
    said: dict[str, str] = {}
    for meta in tree.css("head meta"):
        name = meta.attributes.get("name") or meta.attributes.get("property") or ""
        said.setdefault(name.lower(), meta.attributes.get("content") or "")
    return labels([said.get("keywords", "")], next((said[name] for name in _DATES if name in said), ""))


def _is_hidden(node: LexborNode) -> bool:
    attributes = node.attributes
    return "hidden" in attributes or bool(_NOT_SHOWN.search(attributes.get("style") or ""))


def _flattened(html: str) -> str:
    """Leave out the tags that nest deeper than any page should: parsing takes time with the square of the depth."""
    depth = 0

    def kept(tag: re.Match[str]) -> str:
        nonlocal depth
        if tag[2].lower() in _LEFT_OPEN or tag[0].endswith("/>"):
            return tag[0]
        deepest = depth + (not tag[1])
        depth = max(0, depth + (-1 if tag[1] else 1))
        return tag[0] if deepest <= MAX_DEPTH else " "

    return _TAG.sub(kept, html)
