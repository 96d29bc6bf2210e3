"""The furniture of a web page, which only helps to get about: navigation, lists of contents, licence notices.

The rules are plain, so that one can tell why something is not found: a name that says so (a tag, a role, a class), or
links with next to nothing beside them. What may be part of a text is kept.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields

from selfrag.domain.documents import Document, has_words
from selfrag.domain.errors import BadDocument

Attributes = Mapping[str, str | None]


def names(listed: str) -> frozenset[str]:
    """Return the words of a text: tags, roles, classes."""
    return frozenset(listed.split())


_TAGS = names("nav search")
_ROLES = names("banner contentinfo doc-pagelist doc-toc menu menubar navigation search")
_CLASSES = names(
    "navheader navfooter toc list-of-equations list-of-examples list-of-figures list-of-procedures list-of-tables "
    "headerlink toctree-wrapper viewcode-link topnav subnav bottomnav mw-editsection navbox"
)  # of DocBook, Sphinx, Javadoc before 17 and MediaWiki, which their links alone do not show
_RIGHTS = "copyright"  # a class
# A section may have an id such as "toc" from its heading, but then it is of a class.
_IDS = {"TOC": "toc", "toc": "toc", "footer": "footer"}
# Text of its own, to which a footer or an aside may belong; any other footer is the site's.
TEXTS = names("article blockquote figure main")
LISTS = names("dl menu ol table ul")
_LINES = names("center div p table")
_LONGEST_BAR, _LABEL = 300, 60  # the weight of titles of neighbours; letters
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
    """The content of an element: `plain` letters outside of links and `linked` ones, links, and where these lead.

    `weight` is the size of its text as passages are measured, `digits` are of texts without letters, `digits` and
    `commas` outside of links; `tables`, `headings` and `titles`, the headings of the first level, count what is inside.
    """

    weight: int = 0
    plain: int = 0
    digits: int = 0
    linked: int = 0
    commas: int = 0
    links: int = 0
    steps: int = 0
    languages: int = 0
    within: int = 0  # the page
    elsewhere: int = 0  # than the site
    tables: int = 0
    headings: int = 0
    titles: int = 0

    def add(self, inner: "ElementFacts", times: int = 1) -> None:
        """Take in what an element inside holds, or with -1 times take it away."""
        for name in _COUNTED:
            setattr(self, name, getattr(self, name) + times * getattr(inner, name))


_COUNTED = tuple(field.name for field in fields(ElementFacts))


def is_furniture(tag: str, attributes: Attributes, in_a_text: bool, on_title_page: bool) -> bool:
    """Return whether an element is page furniture by what it is called.

    A footer within a text is not known to be, and who has the copyright belongs to the page of the title.
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
    """Return whether a link is one of those that lead from page to page, such as Next, a number or a letter."""
    return bool(names((attributes.get("rel") or "").lower()) & _STEPS or _STEP.fullmatch(text))


def letters_of(text: str) -> int:
    """Return how many letters a text has, none if it only says where the link beside it leads to, such as Next."""
    return 0 if _BETWEEN_STEPS.fullmatch(text) else sum(map(len, _LETTERS.findall(text)))


def leads_elsewhere(attributes: Attributes) -> bool:
    """Return whether a link leads to another site; the same page in another language, by `hreflang`, is of this one."""
    return "hreflang" not in attributes and bool(_ELSEWHERE.match(attributes.get("href") or ""))


def leads_within(attributes: Attributes, page: str) -> bool:
    """Return whether a link leads to a place in the same page, which is called `page`."""
    path, mark, _ = (attributes.get("href") or "").partition("#")
    return bool(mark) and path in ("", page)


def is_bar(facts: ElementFacts) -> bool:
    """Return whether an element that stands beside the text of a page only leads to other places."""
    if facts.steps == facts.links:
        return facts.weight <= _LONGEST_BAR
    return facts.links > 2 and facts.plain <= facts.linked


def is_dense(facts: ElementFacts) -> bool:
    """Return whether an element is little but links within the site; numbers of chapters say no more than these."""
    plain = facts.plain + (facts.digits if facts.within < facts.links else 0)
    return facts.links > 2 and not facts.elsewhere and plain * 4 <= facts.linked


def is_made_of_links(tag: str, facts: ElementFacts) -> bool:
    """Return whether an element is a list of links within the site, a bar of such links, or steps on a line."""
    if tag in ("aside", "footer"):
        return facts.plain <= facts.linked
    if tag in _LINES and facts.links > 1 and facts.steps == facts.links:
        return facts.plain == 0
    if tag in _LINES and 1 < facts.links <= facts.languages + 1:
        return facts.plain <= _LABEL
    links_alone = tag == "div" and facts.plain == facts.commas == facts.headings == 0
    return (tag in LISTS or links_alone) and is_dense(facts)


def refuse_navigation(document: Document, left_out: bool) -> None:
    """Raise BadDocument for a document of which nothing is left after something was left out."""
    if left_out and not has_words(document.text):
        reason = "holds only navigation: links to other pages, contents or notices, and no text"
        raise BadDocument(f"{document.key} {reason}.")
