"""A web search over local pages, with replies in Tavily's format."""

from functools import cached_property
from pathlib import Path
from typing import NotRequired, TypedDict

from selfrag.ports.web import Domains
from selfrag.text.sentences import split_sentences
from selfrag_cli.local.stand_in.quoting import QuoteSource, quotes


class WebPage(TypedDict):
    """A search result; only results have a score."""

    url: str
    title: str
    content: str
    score: NotRequired[float]


class WebReply(TypedDict):
    """The reply to a search, the best page first."""

    query: str
    results: list[WebPage]


class SamplePages:
    """A web of `*.md` files: `url: ...`, `title: ...`, an empty line, the text.

    Like the real service, it treats excluded domains as a preference only.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __call__(self, query: str, max_results: int, domains: Domains) -> WebReply:
        """Return the best pages for a query with scores."""
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
