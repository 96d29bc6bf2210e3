"""An HTML page as a tree, by the standard library's parser: the readers that are measured use others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"})
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
PARTS = frozenset({"li", "dt", "dd", "td", "th", "tr", "tbody", "tfoot"})
# An element that ends where one of these begins, or its parent ends: HTML lets its end be left out.
ENDED_BY = {
    "p": frozenset({"p", "div", "ul", "ol", "dl", "table", "pre", "blockquote", "hr", "section"}) | HEADINGS | PARTS,
    "li": frozenset({"li"}),
    "dt": frozenset({"dt", "dd"}),
    "dd": frozenset({"dt", "dd"}),
    "td": frozenset({"td", "th", "tr", "tbody", "tfoot"}),
    "th": frozenset({"td", "th", "tr", "tbody", "tfoot"}),
    "tr": frozenset({"tr", "tbody", "tfoot"}),
    "thead": frozenset({"tbody", "tfoot"}),
    "tbody": frozenset({"tbody", "tfoot"}),
}


@dataclass
class Element:
    """A tag with its attributes and its children: elements and texts."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Element | str] = field(default_factory=list)

    @property
    def classes(self) -> frozenset[str]:
        """Return the words of its class."""
        return frozenset(self.attributes.get("class", "").split())

    def elements(self, *tags: str) -> Iterator[Element]:
        """Yield the outermost elements below it with one of these tags, in order."""
        for child in self.children:
            if isinstance(child, Element):
                if child.tag in tags:
                    yield child
                else:
                    yield from child.elements(*tags)

    def number(self, name: str) -> int:
        """Return an attribute that is a number from 1 to 1000, 1 if it is none."""
        value = self.attributes.get(name, "")
        return min(max(int(value), 1), 1000) if value.isascii() and value.isdigit() else 1


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open = [Element("document")]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        while tag in ENDED_BY.get(self.open[-1].tag, ()):
            self.open.pop()
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if any(element.tag == tag for element in self.open[1:]):
            while self.open.pop().tag != tag:
                pass

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def parsed(page: str) -> Element:
    """Return the page's tree."""
    builder = _Builder()
    builder.feed(page)
    builder.close()
    return builder.open[0]
