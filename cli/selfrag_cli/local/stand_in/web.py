"""A web search over the pages of a folder, in the form of Tavily's replies."""

from functools import cached_property
from pathlib import Path
from typing import NotRequired, TypedDict

from selfrag.ports.web import Domains
from selfrag.text.sentences import split_sentences
from selfrag_cli.local.stand_in.quoting import QuoteSource, quotes


class WebPage(TypedDict):
    """A result of a search; a page has its score only among results."""

    url: str
    title: str
    content: str
    score: NotRequired[float]


class WebReply(TypedDict):
    """The reply to a search, the best page first."""

    query: str
    results: list[WebPage]


class SamplePages:
    """The web of `*.md` files: a line `url: ...`, a line `title: ...`, an empty line, the text.

    Like the real service it takes excluded domains for a wish and lets their pages through.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __call__(self, query: str, max_results: int, domains: Domains) -> WebReply:
        """Return the pages that fit a query best, each with its score."""
        wished = Domains(included=domains.included)
        pages = [page for page in self._pages if wished.allow(page["url"])]
        scored: list[WebPage] = [{**page, "score": _score(query, page)} for page in pages]
        best = sorted(scored, key=lambda page: (-page["score"], page["url"]))
        return {"query": query, "results": best[:max_results]}

    @cached_property
    def _pages(self) -> list[WebPage]:
        pages: list[WebPage] = []
        for file in sorted(self._folder.glob("*.md")):
            url, title, _, text = (file.read_text(encoding="utf-8").split("\n", 3) + [""] * 3)[:4]
            pages.append(
                {
                    "url": url.removeprefix("url:").strip(),
                    "title": title.removeprefix("title:").strip(),
                    "content": text.strip(),
                }
            )
        return pages


def _score(query: str, page: WebPage) -> float:
    source = QuoteSource(page["url"], page["title"], tuple(split_sentences(page["content"])))
    return max((round(quote.share, 4) for quote in quotes(query, [source])), default=0.0)
