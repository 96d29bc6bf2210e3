"""Page furniture: navigation, tables of contents, licence notices.

The rules are simple, so that a missing text can be explained: an explicit name (tag, role, class), or links with little
text around them. Anything that may be content is kept.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields

Attributes = Mapping[str, str | None]


def names(listed: str) -> frozenset[str]:
    """Return the words of a text: tags, roles, classes."""
    return frozenset(listed.split())


_TAGS = names("nav search")
_ROLES = names("banner contentinfo doc-pagelist doc-toc menu menubar navigation search")
_CLASSES = names(
    "navheader navfooter toc list-of-equations list-of-examples list-of-figures list-of-procedures list-of-tables "
    "headerlink toctree-wrapper viewcode-link topnav subnav bottomnav mw-editsection navbox"
)  # classes of DocBook, Sphinx, Javadoc before 17 and MediaWiki, not recognisable by links alone
_RIGHTS = "copyright"  # a class
# A section may get an id such as "toc" from its heading, but then it also has a class.
_IDS = {"TOC": "toc", "toc": "toc", "footer": "footer"}
# Elements with independent text, whose footers and asides belong to them; other footers are the site's.
TEXTS = names("article blockquote figure main")
LISTS = names("dl menu ol table ul")
_LINES = names("center div p table")
_LONGEST_BAR, _LABEL = 300, 60  # tokens of a bar with neighbours' titles; letters of a label
_STEP_WORDS = (
    r"[\W_]*(?:prev|previous|next|up|home|top|contents|table of contents|index|start|back"
    r"|前|次|上|前へ|次へ|目次|戻る|이전|다음|위로|처음|차례)[\W_]*"
)
_BETWEEN_STEPS = re.compile(_STEP_WORDS, re.IGNORECASE)
_STEP = re.compile(rf"{_STEP_WORDS}|[\W_]*(?:\d+|[a-z])[\W_]*", re.IGNORECASE)
_STEPS = names("prev previous next up home contents index start top first last")
_LETTERS = re.compile(r"[^\W\d_]+")
_ELSEWHERE = re.compile(r"\s*(?!javascript:)(?:[a-z][a-z0-9+.-]*:|//)", re.IGNORECASE)


@dataclass(slots=True)
class ElementFacts:
    """Content of an element: letters outside (`plain`) and inside links (`linked`), links and their targets.

    `weight` is its size in tokens, `digits` counts texts without letters, `commas` those outside links; `tables`,
    `headings` and `titles` (level-1 headings) count descendants.
    """

    weight: int = 0
    plain: int = 0
    digits: int = 0
    linked: int = 0
    commas: int = 0
    links: int = 0
    steps: int = 0
    languages: int = 0
    within: int = 0  # links within the page
    elsewhere: int = 0  # links to other sites
    tables: int = 0
    headings: int = 0
    titles: int = 0

    def add(self, inner: "ElementFacts", times: int = 1) -> None:
        """Add (or with -1 subtract) the facts of an inner element."""
        for name in _COUNTED:
            setattr(self, name, getattr(self, name) + times * getattr(inner, name))


_COUNTED = tuple(field.name for field in fields(ElementFacts))


def is_furniture(tag: str, attributes: Attributes, in_a_text: bool, on_title_page: bool) -> bool:
    """Return whether tag, role, class or id marks an element as furniture.

    Footers within a text are kept, and so is the copyright of a title page.
    """
    if tag in ("html", "body", "main", "article"):
        return False
    if not attributes:
        return tag in _TAGS or (tag == "footer" and not in_a_text)
    classes = names((attributes.get("class") or "").lower())
    if tag in _TAGS or role(attributes) in _ROLES or classes & _CLASSES or {"contents", "topic"} <= classes:
        return True
    if _RIGHTS in classes and not on_title_page:
        return True
    named = _IDS.get(attributes.get("id") or "", "") if tag == "div" and not classes else ""
    is_footer = tag == "footer" or (tag == "div" and (named == "footer" or classes == {"footer"}))
    return named == "toc" or (is_footer and not in_a_text)


def role(attributes: Attributes) -> str:
    """Return the first role of an element, "" if it has none."""
    return next(iter((attributes.get("role") or "").lower().split()), "")


def is_step(text: str, attributes: Attributes) -> bool:
    """Return whether a link leads from page to page, such as Next, a number or a letter."""
    return bool(names((attributes.get("rel") or "").lower()) & _STEPS or _STEP.fullmatch(text))


def letters_of(text: str) -> int:
    """Count the letters of a text, 0 if it only labels a navigation link."""
    return 0 if _BETWEEN_STEPS.fullmatch(text) else sum(map(len, _LETTERS.findall(text)))


def leads_elsewhere(attributes: Attributes) -> bool:
    """Return whether a link leads to another site; a translation of the page (`hreflang`) does not."""
    return "hreflang" not in attributes and bool(_ELSEWHERE.match(attributes.get("href") or ""))


def leads_within(attributes: Attributes, page: str) -> bool:
    """Return whether a link leads to an anchor in the page named `page`."""
    path, mark, _ = (attributes.get("href") or "").partition("#")
    return bool(mark) and path in ("", page)


def is_bar(facts: ElementFacts) -> bool:
    """Return whether an element outside the main text consists of links."""
    if facts.steps == facts.links:
        return facts.weight <= _LONGEST_BAR
    return facts.links > 2 and facts.plain <= facts.linked


def is_dense(facts: ElementFacts) -> bool:
    """Return whether an element is mostly links within the site; chapter numbers do not count as text."""
    plain = facts.plain + (facts.digits if facts.within < facts.links else 0)
    return facts.links > 2 and not facts.elsewhere and plain * 4 <= facts.linked


def is_made_of_links(tag: str, facts: ElementFacts) -> bool:
    """Return whether an element is a list or bar of site links, or paging links on a line."""
    if tag in ("aside", "footer"):
        return facts.plain <= facts.linked
    if tag in _LINES and facts.links > 1 and facts.steps == facts.links:
        return facts.plain == 0
    if tag in _LINES and 1 < facts.links <= facts.languages + 1:
        return facts.plain <= _LABEL
    links_alone = tag == "div" and facts.plain == facts.commas == facts.headings == 0
    return (tag in LISTS or links_alone) and is_dense(facts)
