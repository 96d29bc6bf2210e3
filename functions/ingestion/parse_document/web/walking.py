"""Goes through the elements and texts of a page in order, however deeply they nest."""

from collections.abc import Callable

from selectolax.lexbor import LexborNode


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
