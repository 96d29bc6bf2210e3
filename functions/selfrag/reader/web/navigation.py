"""Detection of navigation by link density: bars, tables of contents, lists of pages.

The main text is the element with nine tenths of the letters outside links. Outside it, an element is navigation if most
of its letters are in links. Inside it, only pure link lists are, unless they are most of the text, as in an index.
"""

from selectolax.lexbor import LexborNode

from selfrag.domain.documents import has_words
from selfrag.reader.web.furniture import ElementFacts, is_bar, is_dense, is_made_of_links, letters_of, names
from selfrag.reader.web.tables import children
from selfrag.reader.web.walk import text_before, walk
from selfrag.text.weight import estimate_tokens

_TRUNK = names("html body main article section div center form")
_WHOLE = names("html body main article blockquote figure pre")
_CELLS = names("dd td th")
_HEADINGS = names("h1 h2 h3 h4 h5 h6")
# A sentence ending in a colon introduces a list; a heading such as "Contents:" does not.
_SENTENCE = 20
# Letters: maximum before the main text begins; minimum of a main text with navigation around it.
_BEFORE, _MIN_TEXT = 40, 200


class Navigation:
    """Removes marked furniture and navigation from a page.

    `left_out` is True if it had words; `emptied` are the headings, by `mem_id`, directly above it.
    """

    def __init__(self, root: LexborNode, facts: dict[int, ElementFacts], marked: set[int]) -> None:
        self.emptied: set[int] = set()
        self.left_out = False
        self._facts, self._marked, self._trunk = facts, marked, _trunk(root, facts)
        self._beside = 0  # the open element outside the main text
        self._above: tuple[int, str] = (0, "")  # the last heading without text yet, and its tag
        self._open = 0  # open links and headings
        self._before = 0  # letters so far outside links and headings
        self._begun = False  # whether such letters or a heading have occurred
        self._furniture: list[LexborNode] = []
        self._lists: list[LexborNode] = []
        walk(root, self._enter, self._leave)
        text = facts[self._trunk[-1]]
        if 4 * sum(facts[node.mem_id].linked for node in self._lists) <= 3 * (text.linked + text.plain):
            self._furniture += self._lists
        for node in self._furniture:
            self.left_out |= has_words(node.text())
            gone, above = facts.get(node.mem_id), node.parent
            while gone and above is not None:
                if around := facts.get(above.mem_id):
                    around.add(gone, -1)
                above = above.parent
            node.decompose()

    def _enter(self, node: LexborNode) -> bool:
        if node.is_text_node:
            letters = letters_of(node.text_content or "")
            if letters:
                self._above = (0, "")
            if not self._open:
                self._before += letters
                self._begun |= letters > 0
            return False
        tag, facts = node.tag or "", self._facts.get(node.mem_id)
        self._open += tag == "a" or tag in _HEADINGS
        if node.mem_id in self._marked or self._skips(node):
            return self._leave_out(node, self._furniture)
        if facts is None or not facts.links or facts.titles or tag in _WHOLE or node.mem_id in self._trunk:
            return True
        if not self._beside and node.parent is not None and node.parent.mem_id in self._trunk[:-1]:
            self._beside = node.mem_id
        made_of_links = is_made_of_links(tag, facts)
        if (self._beside and is_bar(facts)) or (made_of_links and facts.within == facts.links):
            return self._leave_out(node, self._furniture)
        is_sentence = facts.commas + 1 >= facts.links or (tag == "p" and facts.plain > 0)
        leads_in = self._before < _BEFORE and is_dense(facts) and not facts.headings and not is_sentence
        if (made_of_links or leads_in) and not self._is_text(node, facts):
            return self._leave_out(node, self._lists)
        return True

    def _leave(self, node: LexborNode) -> None:
        self._open -= node.tag == "a" or node.tag in _HEADINGS
        if node.mem_id == self._beside:
            self._beside = 0
        if node.tag in _HEADINGS:
            self._above, self._begun = (node.mem_id, node.tag), True

    def _leave_out(self, node: LexborNode, among: list[LexborNode]) -> bool:
        among.append(node)
        self.emptied.add(self._above[0])
        return False

    def _skips(self, node: LexborNode) -> bool:
        """Return whether a link is a leading skip link such as "Skip to main content"."""
        if self._begun or self._open > 1 or node.tag != "a" or node.parent is None or node.parent.tag not in _TRUNK:
            return False
        beside = (sibling for sibling in (node.prev, node.next) if sibling is not None and sibling.is_text_node)
        leads_within = "#" in (node.attributes.get("href") or "")
        return leads_within and not any(has_words(sibling.text_content or "") for sibling in beside)

    def _is_text(self, node: LexborNode, facts: ElementFacts) -> bool:
        """Return whether a link list is content: in a cell or definition, or introduced by text or a heading."""
        before, item = text_before(node), node.parent
        while item is not None and item.tag == "div":
            item = item.parent
        introduced = before.endswith((":", "：")) and estimate_tokens(before) > _SENTENCE
        named = item is not None and item.tag == "li" and self._facts[item.mem_id].plain > facts.plain
        return introduced or named or (item is not None and item.tag in _CELLS) or self._above[1] > "h1"


def _trunk(root: LexborNode, facts: dict[int, ElementFacts]) -> list[int]:
    """Return the nested elements, by `mem_id` from outside in, that contain the main text and its title.

    The innermost is the one that splits into articles, sections or elements of a class.
    """
    trunk, whole = [root.mem_id], facts[root.mem_id].plain
    while whole >= _MIN_TEXT:
        below = (child for child in children(root) if child.tag in _TRUNK and child.mem_id in facts)
        inner = max(below, key=lambda child: facts[child.mem_id].plain, default=None)
        if inner is None or facts[inner.mem_id].plain * 10 < whole * 9 or _is_part(inner, root):
            break
        if facts[root.mem_id].titles and not facts[inner.mem_id].titles:
            break
        root = inner
        trunk.append(root.mem_id)
    return trunk


def _is_part(node: LexborNode, of: LexborNode) -> bool:
    """Return whether an element has siblings of its class, or is one of several sections or articles."""
    kind = node.attributes.get("class")
    peers = [child for child in children(of) if child.tag == node.tag and child.attributes.get("class") == kind]
    return len(peers) > 1 and (bool(kind) or node.tag in ("article", "section"))
