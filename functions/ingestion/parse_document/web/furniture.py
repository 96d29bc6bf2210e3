"""The furniture of a web page, which only helps to get about: navigation, lists of contents, licence notices.

The rules are plain, so that one can tell why something is not found: a name that says so (a tag, a role, a class), or
a list of nothing but links to other pages of the same site. What may be part of a text is kept.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from selfrag.domain.documents import Document, has_words
from selfrag.domain.errors import BadDocument

Attributes = Mapping[str, str | None]


def names(listed: str) -> frozenset[str]:
    """Return the words of a text: tags, roles, classes."""
    return frozenset(listed.split())


_TAGS = names("nav search")
_ROLES = names("banner contentinfo doc-pagelist doc-toc menu menubar navigation search")
_CLASSES = names(
    "navheader navfooter toc "  # DocBook
    "list-of-equations list-of-examples list-of-figures list-of-procedures list-of-tables "
    "genindex-jumpbox headerlink related sphinxsidebar toctree-wrapper viewcode-link "  # Sphinx
    "bottomnav legal-copy legalcopy skip-nav skipnav sub-nav subnav top-nav topnav "  # Javadoc
    "breadcrumb breadcrumbs mw-editsection mw-jump-link nav-panel navbar navbox navigation skip-link "
)
_RIGHTS = "copyright"  # a class
# A section may have an id such as "toc" from its heading, but then it is of a class.
_IDS = {"TOC": "toc", "toc": "toc", "footer": "footer"}
# Text of its own, to which a footer or an aside may belong; any other footer is the site's.
TEXTS = names("article blockquote figure main")
LISTS = names("dl menu ol table ul")
_LINES = names("center div p table")
_STEP_WORDS = (
    r"[\W_]*(?:prev|previous|next|up|home|top|contents|table of contents|index|start|back"
    r"|前|次|上|前へ|次へ|目次|戻る|이전|다음|위로|처음|차례)[\W_]*"
)
_BETWEEN_STEPS = re.compile(_STEP_WORDS, re.IGNORECASE)
_STEP = re.compile(rf"{_STEP_WORDS}|[\W_]*(?:\d+|[a-z])[\W_]*", re.IGNORECASE)
_SKIP = re.compile(r"\W*(?:(?:skip|jump) to|本文へ|メイン|コンテンツへ|본문|콘텐츠)", re.IGNORECASE)
_STEPS = names("prev previous next up home contents index start top first last")
_LETTERS = re.compile(r"[^\W\d_]+")
_ELSEWHERE = re.compile(r"\s*(?:[a-z][a-z0-9+.-]*:|//)", re.IGNORECASE)


@dataclass(slots=True)
class Facts:
    """The content of an element: letters outside of and in links, links, those that are steps, those to other sites.

    `weight` is the size of its text as passages are measured; `tables` and `headings` count what is inside.
    """

    weight: int = 0
    plain: int = 0
    linked: int = 0
    links: int = 0
    steps: int = 0
    elsewhere: int = 0
    tables: int = 0
    headings: int = 0

    def add(self, inner: "Facts") -> None:
        """Take in what an element inside holds."""
        self.weight += inner.weight
        self.plain += inner.plain
        self.linked += inner.linked
        self.links += inner.links
        self.steps += inner.steps
        self.elsewhere += inner.elsewhere
        self.tables += inner.tables
        self.headings += inner.headings


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


def skips(text: str, attributes: Attributes) -> bool:
    """Return whether a link leads past what stands before the text of a page, such as "Skip to main content"."""
    return (attributes.get("href") or "").startswith("#") and bool(_SKIP.match(text))


def letters_of(text: str) -> int:
    """Return how many letters a text has, none if it only says where the link beside it leads to, such as Next."""
    return 0 if _BETWEEN_STEPS.fullmatch(text) else sum(map(len, _LETTERS.findall(text)))


def leads_elsewhere(attributes: Attributes) -> bool:
    """Return whether a link leads to another site; the same page in another language, by `hreflang`, is of this one."""
    return "hreflang" not in attributes and bool(_ELSEWHERE.match(attributes.get("href") or ""))


def is_contents(tag: str, facts: Facts) -> bool:
    """Return whether an element is made of links within the site: one of LISTS, or steps on a line."""
    if tag in ("aside", "footer"):
        return facts.links > 0 and facts.plain <= facts.linked
    if tag in _LINES and facts.links > 1 and facts.steps == facts.links:
        return facts.plain == 0
    return tag in LISTS and facts.links > 2 and not facts.elsewhere and facts.plain * 4 <= facts.linked


def refuse_navigation(document: Document, left_out: bool) -> None:
    """Raise BadDocument for a document of which nothing is left after something was left out."""
    if left_out and not has_words(document.text):
        said = "holds only navigation: links to other pages, contents or notices, and no text"
        raise BadDocument(f"{document.key} {said}.")
