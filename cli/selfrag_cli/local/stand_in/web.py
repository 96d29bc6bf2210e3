"""A web search over local pages, with replies in Tavily's format."""

from pathlib import Path
from typing import Any

from selfrag.ports.web import Domains
from selfrag.text.sentences import split_sentences
from selfrag_cli.local.stand_in.quoting import QuoteSource, quotes


def search_pages(folder: Path, query: str, max_results: int, domains: Domains) -> dict[str, Any]:
    """Return the best pages for a query with scores.

    A page is a file: `url: ...`, `title: ...`, an empty line, the text. Like the real service, it treats excluded
    domains as a preference only.
    """
    wished = Domains(included=domains.included)
    pages = [page for file in folder.glob("*.md") if wished.allow((page := _read(file, query))["url"])]
    best = sorted(pages, key=lambda page: (-page["score"], page["url"]))
    return {"query": query, "results": best[:max_results]}


def _read(file: Path, query: str) -> dict[str, Any]:
    url, title, _, text = (file.read_text(encoding="utf-8").split("\n", 3) + [""] * 3)[:4]
    page = {
        "url": url.removeprefix("url:").strip(),
        "title": title.removeprefix("title:").strip(),
        "content": text.strip(),
    }
    source = QuoteSource(page["url"], page["title"], tuple(split_sentences(page["content"])))
    return {**page, "score": max((round(quote.share, 4) for quote in quotes(query, [source])), default=0.0)}
