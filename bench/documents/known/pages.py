"""The reference text of a page, extracted by an independent rule; readers are compared with it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from bench.documents.known.areas import Cell, Table, next_line
from bench.documents.known.tables import areas, cells
from bench.documents.known.tree import Element, parsed

_UNSEEN = frozenset({"script", "style", "template", "noscript", "svg"})
# Navigation: elements, roles, and classes or ids of DocBook (first line), Sphinx (second) and AsciiDoc.
FURNITURE_TAGS = frozenset({"nav", "head", "footer"})
FURNITURE_ROLES = frozenset({"navigation", "search", "contentinfo", "banner"})
FURNITURE_NAMES = frozenset(
    {
        *("navheader", "navfooter", "toc", "list-of-tables", "list-of-figures", "list-of-examples"),
        *("related", "sphinxsidebar", "headerlink", "toctree-wrapper", "searchbox", "viewcode-link"),
        *("toctitle", "footer"),
    }
)
_NUMBER_OF_A_NOTE = re.compile(r"\s*\[\d+\]\s*")
_BLOCKS = frozenset(
    {
        *("address", "article", "aside", "blockquote", "body", "br", "caption", "dd", "div", "dl", "dt", "figure"),
        *("h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "section", "ul"),
        *("table", "tbody", "td", "tfoot", "th", "thead", "tr"),
    }
)


@dataclass
class Known:
    """The reference content of a document: its text, page furniture, and tables with their cells.

    If `whole` is false, the text contains only the tables.
    """

    text: str
    furniture: str = ""
    cells: list[Cell] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    whole: bool = True


def is_furniture(element: Element) -> bool:
    """Return whether the element is navigation and therefore not counted."""
    return (
        element.tag in FURNITURE_TAGS
        or element.attributes.get("role") in FURNITURE_ROLES
        or not FURNITURE_NAMES.isdisjoint(element.classes | {element.attributes.get("id", "")})
    )


def without_furniture(element: Element, removed: list[Element] | None = None) -> Element:
    """Return a copy of the tree without navigation and invisible elements; `removed` collects the navigation."""
    kept = Element(element.tag, element.attributes)
    for child in element.children:
        if isinstance(child, str):
            kept.children.append(child)
        elif child.tag in _UNSEEN:
            continue
        elif is_furniture(child):
            if removed is not None:
                removed.append(child)
        else:
            kept.children.append(without_furniture(child, removed))
    return kept


def without_numbers_of_notes(element: Element, removed: list[Element]) -> Element:
    """Return a copy of the tree without links within the page that are a number in brackets; `removed` collects them.

    A PDF may count its notes by chapter where the HTML counts them through, so no reader can give the HTML's numbers.
    """
    kept = Element(element.tag, element.attributes)
    for child in element.children:
        if isinstance(child, str):
            kept.children.append(child)
        elif _is_number_of_a_note(child):
            removed.append(child)
        else:
            kept.children.append(without_numbers_of_notes(child, removed))
    return kept


def _is_number_of_a_note(element: Element) -> bool:
    within = element.tag == "a" and element.attributes.get("href", "").startswith("#")
    return within and _NUMBER_OF_A_NOTE.fullmatch(text_of(element)) is not None


def text_of(element: Element) -> str:
    """The words in it in their order, with a line for each block; the text that stands for a picture is not read.

    A reference to a note is a separate word: Sphinx sets it apart by style only.
    """
    pieces: list[str] = []

    def walk(at: Element) -> None:
        edge = "\n" if at.tag in _BLOCKS else " " if "footnote-reference" in at.classes else ""
        pieces.append(edge)
        for child in at.children:
            if isinstance(child, str):
                pieces.append(child)
            elif child.tag not in _UNSEEN:
                walk(child)
        pieces.append(edge)

    walk(element)
    return "".join(pieces)


def unseen(element: Element) -> str:
    """Return the attribute texts of pictures and links, which readers may include or omit."""
    own = [element.attributes.get(name, "") for name in ("alt", "title", "href", "src")]
    return "\n".join(filter(None, [*own, *(unseen(child) for child in element.children if isinstance(child, Element))]))


def known_of(pages: Iterable[str]) -> Known:
    """Return the reference content of a document whose chapters are these pages, in this order."""
    known = Known("")
    for page in pages:
        removed: list[Element] = []
        tree = without_furniture(parsed(page), removed)
        known.text += text_of(without_numbers_of_notes(tree, removed)) + "\n"
        known.furniture += "\n".join([*map(text_of, removed), *map(unseen, [tree, *removed])]) + "\n"
        known.cells += cells(tree, text_of, next_line(known.cells))
        known.tables += areas(tree, text_of)
    return known
