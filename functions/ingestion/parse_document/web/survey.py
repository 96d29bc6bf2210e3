"""A first look at a web page: takes out what is not seen and what is furniture, and measures what stays."""

import re

from selectolax.lexbor import LexborNode

from ingestion.parse_document.web.furniture import (
    LISTS,
    TEXTS,
    Attributes,
    Facts,
    is_contents,
    is_furniture,
    is_step,
    leads_elsewhere,
    letters_of,
    names,
    role,
    skips,
)
from ingestion.parse_document.web.notices import is_notice, is_title_page
from ingestion.parse_document.web.walking import text_before, walk
from selfrag.domain.documents import has_words
from selfrag.domain.writing import MAX_HEADING
from selfrag.text.weight import weigh

_UNSEEN = names("head script style template noscript svg iframe object canvas audio video datalist rt rp")
_NOT_SHOWN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_MEASURED = names("dd dt div figure table td th")
_HEADINGS = frozenset(f"h{level}" for level in range(1, 7))
_RIGHTS = re.compile(r"copyright|licen[cs]|legal|著作権|ライセンス|저작권|라이선스|라이센스", re.IGNORECASE)
# A sentence, however short, that ends with a colon introduces a list; "Contents:" does not.
_SENTENCE = 20


class Survey:
    """The survey of a page: the facts of elements by `mem_id`, and whether furniture with words was taken out.

    `emptied` are the headings, by `mem_id`, right below which furniture was.
    """

    def __init__(self, root: LexborNode | None) -> None:
        self.facts: dict[int, Facts] = {}
        self.emptied: set[int] = set()
        self.left_out = False
        # The elements that are open: their facts, the heading above them, and their attributes.
        self._open: list[tuple[Facts, int, Attributes]] = [(Facts(), 0, {})]
        self._above = 0  # the heading after which no words have come yet
        self._unseen = self._furniture = False
        self._of_rights = False
        self._begun = False  # words other than those of links have come
        self._links = self._texts = self._quotes = self._titles = 0
        walk(root, self._enter, self._leave)

    def _enter(self, node: LexborNode) -> bool:
        if node.is_text_node:
            self._measure(node.text_content or "")
            return False
        tag, attributes = node.tag or "", node.attributes
        self._open.append((Facts(), self._above, attributes))
        self._unseen = tag in _UNSEEN or (bool(attributes) and _is_hidden(attributes))
        self._furniture = not self._unseen and is_furniture(tag, attributes, self._texts > 0, self._titles > 0)
        if self._unseen or self._furniture:
            return False
        self._count(tag, attributes, 1)
        return True

    def _count(self, tag: str, attributes: Attributes, one: int) -> None:
        self._links += one if tag == "a" and "href" in attributes else 0
        self._texts += one if tag in TEXTS or (attributes and role(attributes) in ("main", "article")) else 0
        self._quotes += one if tag in ("blockquote", "pre") else 0
        self._titles += one if attributes and is_title_page(attributes) else 0

    def _measure(self, text: str) -> None:
        facts, words = self._open[-1][0], " ".join(text.split())
        letters = letters_of(words)
        facts.weight += weigh(words)
        facts.linked += letters if self._links else 0
        facts.plain += 0 if self._links else letters
        self._begun |= letters > 0 and not self._links
        self._above = 0 if words else self._above

    def _leave(self, node: LexborNode) -> None:
        if node.is_text_node:
            return
        tag = node.tag or ""
        facts, above, attributes = self._open.pop()
        if self._unseen or self._furniture:
            if self._furniture and has_words(node.text()):
                self._take_out(above)
            self._unseen = self._furniture = False
            node.decompose()
            return
        self._count(tag, attributes, -1)
        if tag == "a" and not self._begun and skips(node.text(), attributes):
            self._take_out(above)
            node.decompose()
            return
        if tag == "a" and "href" in attributes and facts.linked | facts.weight:
            facts.links += 1
            facts.steps += is_step(node.text(), attributes)
            facts.elsewhere += leads_elsewhere(attributes)
        facts.tables += tag == "table"
        if tag in _HEADINGS:
            facts.headings += 1
            self._above = node.mem_id
            self._of_rights = facts.weight <= MAX_HEADING and bool(_RIGHTS.search(node.text()))
        self._keep_or_take_out(node, tag, facts, above)

    def _may_be_notice(self) -> bool:
        """Return whether a paragraph is not quoted, not on the page of the title, and not what its section is about."""
        return not self._quotes and not self._titles and not self._of_rights

    def _take_out(self, above: int) -> None:
        self.left_out = True
        self._above = above
        self.emptied.add(above)

    def _keep_or_take_out(self, node: LexborNode, tag: str, facts: Facts, above: int) -> None:
        around = self._open[-1][0]
        contents = facts.links > 0 and is_contents(tag, facts) and not (tag in LISTS and _is_introduced(node))
        if contents or (tag == "p" and self._may_be_notice() and is_notice(node.text())):
            # A list of contents in a list of contents: the outer one is still known by all its links.
            around.add(Facts(linked=facts.linked, links=facts.links, steps=facts.steps, elsewhere=facts.elsewhere))
            self._take_out(above)
            node.decompose()
            return
        around.add(facts)
        if tag in _MEASURED:
            self.facts[node.mem_id] = facts


def _is_hidden(attributes: Attributes) -> bool:
    return "hidden" in attributes or bool(_NOT_SHOWN.search(attributes.get("style") or ""))


def _is_introduced(node: LexborNode) -> bool:
    """Return whether a sentence stands right before an element and ends with a colon."""
    text = text_before(node)
    return text.endswith((":", "：")) and weigh(text) > _SENTENCE
