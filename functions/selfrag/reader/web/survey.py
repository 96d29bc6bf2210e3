"""A first look at a web page: takes out what is not seen, marks what is called furniture, and measures the rest."""

import re

from selectolax.lexbor import LexborNode

from selfrag.domain.writing import MAX_HEADING
from selfrag.reader.web.furniture import (
    TEXTS,
    Attributes,
    ElementFacts,
    is_furniture,
    is_step,
    leads_elsewhere,
    leads_within,
    letters_of,
    names,
    role,
)
from selfrag.reader.web.walk import walk
from selfrag.text.weight import weigh

_UNSEEN = names("head script style template noscript svg iframe object canvas audio video datalist select rt rp")
_NOT_SHOWN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_MEASURED = names("article body center dd div dt figure form html main section table td th")
_INLINE = names("a b bdi cite code em font i label small span strong sub sup tt u var")
_HEADINGS = frozenset(f"h{level}" for level in range(1, 7))
_RIGHTS = re.compile(r"copyright|licen[cs]|legal|著作権|ライセンス|저작권|라이선스|라이센스", re.IGNORECASE)
# DocBook's page of the title says once for a work who made it and what is allowed.
_TITLE_PAGES = names("titlepage legalnotice")
_NOTICE = re.compile(
    r"""\s*(?:
        (?:Copyright\s*)? (?:©|\(C\)) \s* (?:Copyright\s*)? \d{4}
      | Copyright \s+ \d{4}
      | Permission\s+is\s+(?:hereby\s+)?granted (?:,\s+free\s+of\s+charge|\s+to\s+(?:copy|make\s+and|use,))
      | Redistribution\s+and\s+use\s+in\s+source\s+and\s+binary\s+forms
      | This\s[\w\s]{1,40}\sis\s+free\s+(?:software|documentation)
      | This\s[\w\s]{1,40}\sis\s+distributed\s+in\s+the\s+hope\s+that
      | You\s+should\s+have\s+received\s+a\s+copy\s+of\s+the\s+GNU
      | Licensed\s+under\s+the\s+(?:Apache|MIT|BSD|GNU)
      | THE\s+SOFTWARE\s+IS\s+PROVIDED\s+.?AS\s+IS
    )""",
    re.VERBOSE | re.IGNORECASE,
)


class Survey:
    """The survey of a page: the facts of elements by `mem_id`, and the elements that are furniture as `marked`."""

    def __init__(self, root: LexborNode, page: str) -> None:
        self.facts: dict[int, ElementFacts] = {}
        self.marked: set[int] = set()
        self._page = page
        self._open = [ElementFacts()]
        self._unseen = self._of_rights = False
        self._links = self._texts = self._quotes = self._titles = 0
        walk(root, self._enter, self._leave)

    def _enter(self, node: LexborNode) -> bool:
        if node.is_text_node:
            self._measure(node.text_content or "")
            return False
        tag, attributes = node.tag or "", node.attributes
        self._open.append(ElementFacts())
        self._unseen = tag in _UNSEEN or (bool(attributes) and _is_hidden(attributes))
        if self._unseen:
            return False
        if is_furniture(tag, attributes, self._texts > 0, self._titles > 0):
            self.marked.add(node.mem_id)
            return False
        self._count(tag, attributes, 1)
        return True

    def _count(self, tag: str, attributes: Attributes, change: int) -> None:
        self._links += change if tag == "a" and "href" in attributes else 0
        self._texts += change if tag in TEXTS or (attributes and role(attributes) in ("main", "article")) else 0
        self._quotes += change if tag in ("blockquote", "pre") else 0
        self._titles += change if attributes and is_title_page(attributes) else 0

    def _measure(self, text: str) -> None:
        facts, words = self._open[-1], " ".join(text.split())
        letters = letters_of(words)
        facts.weight += weigh(words)
        if self._links:
            facts.linked += letters
        else:
            facts.plain += letters
            facts.digits += 0 if letters else sum(map(str.isdigit, words))
            facts.commas += sum(map(words.count, ",;、，"))

    def _leave(self, node: LexborNode) -> None:
        if node.is_text_node:
            return
        tag, attributes, facts = node.tag or "", node.attributes, self._open.pop()
        if self._unseen:
            self._unseen = False
            node.decompose()
            return
        if node.mem_id in self.marked:
            return
        self._count(tag, attributes, -1)
        if tag == "a" and "href" in attributes and facts.linked | facts.weight:
            facts.links += 1
            facts.steps += is_step(node.text(), attributes)
            facts.languages += "hreflang" in attributes
            facts.elsewhere += leads_elsewhere(attributes)
            facts.within += leads_within(attributes, self._page)
        facts.tables += tag == "table"
        if tag in _HEADINGS:
            facts.headings += 1
            facts.titles += tag == "h1"
            self._of_rights = facts.weight <= MAX_HEADING and bool(_RIGHTS.search(node.text()))
        if tag == "p" and self._may_be_notice() and is_notice(node.text()):
            self.marked.add(node.mem_id)
            return
        self._open[-1].add(facts)
        if tag in _MEASURED or (facts.links and tag not in _INLINE):
            self.facts[node.mem_id] = facts

    def _may_be_notice(self) -> bool:
        """Return whether a paragraph is not quoted, not on the page of the title, and not what its section is about."""
        return not self._quotes and not self._titles and not self._of_rights


def _is_hidden(attributes: Attributes) -> bool:
    return "hidden" in attributes or bool(_NOT_SHOWN.search(attributes.get("style") or ""))


def is_title_page(attributes: Attributes) -> bool:
    """Return whether an element is the page that says the title of a work, or what there is said of rights."""
    return not _TITLE_PAGES.isdisjoint((attributes.get("class") or "").split())


def is_notice(text: str) -> bool:
    """Return whether a paragraph is the copyright or licence notice that stands in every file of a work."""
    return bool(_NOTICE.match(text))
