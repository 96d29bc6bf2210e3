"""Goes through the elements and texts of a page in order, however deeply they nest."""

from collections.abc import Callable

from selectolax.lexbor import LexborNode

_BOXES = 3


def walk(root: LexborNode | None, enter: Callable[[LexborNode], bool], leave: Callable[[LexborNode], None]) -> None:
    """Call `enter` where a node begins and `leave` where it ends; what is in it is left out if `enter` gives false.

    `leave` may take the node out of the page.
    """
    node, depth = root, 0
    while node is not None:
        following = node.first_child if enter(node) else None
        depth += following is not None
        while following is None and node is not None:
            following, above = (node.next, node.parent) if depth else (None, None)
            leave(node)
            depth -= following is None
            node = above
        node = following


def text_before(node: LexborNode) -> str:
    """The paragraph or text right before an element, be they in boxes of their own; "" if something else is there."""
    before, boxes = _before(node), 0
    while before is None and boxes < _BOXES and node.parent is not None and node.parent.tag == "div":
        node, boxes = node.parent, boxes + 1
        before = _before(node)
    for _ in range(_BOXES):
        if before is not None and before.tag == "div":
            last = before.last_child
            before = _before(last) if last is not None and is_blank(last) else last
    if before is None or not (before.is_text_node or before.tag == "p"):
        return ""
    return " ".join((before.text_content or "" if before.is_text_node else before.text()).split())


def _before(node: LexborNode) -> LexborNode | None:
    before = node.prev
    while before is not None and is_blank(before):
        before = before.prev
    return before


def is_blank(node: LexborNode) -> bool:
    """Return whether a node is a comment, or a text of spaces."""
    return node.is_comment_node or (node.is_text_node and not (node.text_content or "").strip())
