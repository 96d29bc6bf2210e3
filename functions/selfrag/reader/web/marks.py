"""Letters that a page sets small and high: marks of notes, in brackets apart from the words, and powers."""

import re

from selectolax.lexbor import LexborNode

from selfrag.reader.web.furniture import names, role

TAGS = ("a", "sup")
# The classes by which pandoc, Sphinx, DocBook and AsciiDoc call what refers to a note, or back from it.
_CLASSES = names("footnote footnote-ref footnote-reference footnoteref fn-backref noteref")
_MARK = re.compile(r"\s*(?:\d{1,4}|[a-z]|[ivx]{1,6}|[*†‡§]{1,4})\s*", re.IGNORECASE)
_NUMBER = re.compile(r"\s*[+\-\u2212]?\d+\s*")  # with the sign that is printed for a minus


def around(node: LexborNode) -> tuple[str, str]:
    """Return what to write before and after one of TAGS: `Oslo<sup>1</sup>` is not Oslo1, nor 2<sup>32</sup> 232."""
    if _is_mark(node):
        return "[", "]"
    before, inside = node.prev, node.first_child
    if node.tag != "sup" or before is None or not before.is_text_node or inside is None or not inside.is_text_node:
        return "", ""
    is_power = (before.text_content or "")[-1:].isdigit() and _NUMBER.fullmatch(_text(node))
    return ("^", "") if is_power else ("", "")


def _is_mark(node: LexborNode) -> bool:
    """Return whether it is a note's mark without brackets of its own: a link, or what a block begins with."""
    inside, parent = node.first_child, node.parent
    if inside is None or parent is None or not _MARK.fullmatch(_text(node)):
        return False
    if node.tag == "sup":
        return inside.is_text_node and parent.tag != "a" and _begins(node)
    attributes = node.attributes
    named = role(attributes) == "doc-noteref" or bool(_CLASSES & names(attributes.get("class") or ""))
    return "#" in (attributes.get("href") or "") and (named or "sup" in (inside.tag, parent.tag))


def _text(node: LexborNode) -> str:
    """Return the text of an element that holds nothing else, unless in one more element; "" for any other."""
    only = node.first_child
    for _ in range(2):
        if only is None or only.next is not None:
            return ""
        if only.is_text_node:
            return only.text_content or ""
        only = only.first_child
    return ""


def _begins(node: LexborNode) -> bool:
    before = node.prev
    while before is not None and before.is_text_node and not (before.text_content or "").strip():
        before = before.prev
    return before is None
