"""Iterative traversal of a page's nodes, safe for any nesting depth."""

from collections.abc import Callable

from selectolax.lexbor import LexborNode

_BOXES = 3


def walk(root: LexborNode | None, enter: Callable[[LexborNode], bool], leave: Callable[[LexborNode], None]) -> None:
    """Call `enter` and `leave` around each node; children are skipped if `enter` returns False.

    `leave` may remove the node.
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
    """Return the paragraph or text directly before an element, also through boxes, or ""."""
    before, boxes = _previous_node(node), 0
    while before is None and boxes < _BOXES and node.parent is not None and node.parent.tag == "div":
        node, boxes = node.parent, boxes + 1
        before = _previous_node(node)
    for _ in range(_BOXES):
        if before is not None and before.tag == "div":
            last = before.last_child
            before = _previous_node(last) if last is not None and is_blank(last) else last
    if before is None or not (before.is_text_node or before.tag == "p"):
        return ""
    return " ".join((before.text_content or "" if before.is_text_node else before.text()).split())


def _previous_node(node: LexborNode) -> LexborNode | None:
    before = node.prev
    while before is not None and is_blank(before):
        before = before.prev
    return before


def is_blank(node: LexborNode) -> bool:
    """Return whether a node is a comment or white space."""
    return node.is_comment_node or (node.is_text_node and not (node.text_content or "").strip())
