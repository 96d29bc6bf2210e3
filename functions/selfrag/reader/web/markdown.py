"""Markdown as GitHub shows it: cmark-gfm makes a web page of it, and that page is read."""

import re
from dataclasses import replace

from cmarkgfm.cmark import Options, markdown_to_html_with_extensions

from selfrag.domain.documents import Document
from selfrag.reader.web.definition_lists import rewritten
from selfrag.reader.web.front_matter import front_matter
from selfrag.reader.web.html import read_html

_OPTIONS = Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_FOOTNOTES | Options.CMARK_OPT_STRIKETHROUGH_DOUBLE_TILDE
_EXTENSIONS = ("table", "strikethrough")
_TAG = re.compile(r'<(?:(?P<end>/)?(?:ol(?: start="(?P<start>\d{1,9})")?|ul)|(?P<item>li)(?: id="[^"]*+")?)>(?:\n<p>)?')
# Captions as pandoc writes them, links that lead out of the file, pictures, and the arrows back from footnotes.
_SHOWN_AS = (
    (re.compile(r"^<p>(?:[Tt]able)?:[ \t](.*)</p>\n<table>$", re.MULTILINE), r"<table><caption>\1</caption>"),
    (re.compile(r"^</table>\n<p>(?:[Tt]able)?:[ \t](.*)</p>$", re.MULTILINE), r"<caption>\1</caption></table>"),
    (re.compile(r'<a href="(?!#)[^"]*+"'), "<a"),
    (re.compile(r'<img src="[^"]*+" alt="([^"]*+)"[^<>]*+>'), r"\1"),
    (re.compile(r' ?<a href="#fnref[^<>]*+>↩(?:<sup[^<>]*+>\d++</sup>)?</a>'), ""),
)


def read_markdown(key: str, text: str) -> Document:
    """Return a text as a Document; raises BadDocument as for a web page.

    cmark-gfm keeps its extensions in variables of the process: one thread at a time may call this.
    """
    front = front_matter(text.replace("\r\n", "\n").replace("\r", "\n"))
    html = markdown_to_html_with_extensions(rewritten(front.body), options=_OPTIONS, extensions=_EXTENSIONS)
    for pattern, shown in _SHOWN_AS:
        html = pattern.sub(shown, html)
    # In a quotation the HTML reader keeps licence notices: here they are no furniture of a site.
    document = read_html(key, f"<blockquote>{_numbered(html)}</blockquote>")
    return replace(document, title=front.title or document.title, **vars(front.labels))


def _numbered(html: str) -> str:
    """Return a page in which the items of ordered lists begin with their numbers."""
    numbers: list[int | None] = []  # of the next item in each list that is open; None if its items have none

    def shown(tag: re.Match[str]) -> str:
        if tag["item"]:
            if not numbers or numbers[-1] is None:
                return tag[0]
            numbers[-1] += 1
            return f"{tag[0]}{numbers[-1] - 1}. "
        if not tag["end"]:
            numbers.append(int(tag["start"] or 1) if tag[0].startswith("<ol") else None)
        elif numbers:
            numbers.pop()
        return tag[0]

    return _TAG.sub(shown, html)
