"""A loopback server that speaks Tavily's search over the pages of a folder."""

from email.message import Message
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from cli.local.offline.json_server import JsonServer
from cli.local.offline.rules.fields import text_in, texts_in
from cli.local.offline.strict import Refused
from cli.local.offline.text.scoring import Candidate, Source, ranked, relevance
from selfrag.text.sentences import split_sentences

_MOST_RESULTS, _USUAL_RESULTS = 20, 5


class WebServer(JsonServer):
    """Tavily's stand-in over `*.md` files: a line `url: ...`, a line `title: ...`, an empty line, the text.

    Like the real service it takes `exclude_domains` for a wish and lets excluded pages through.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    def respond(self, path: str, headers: Message, body: Any) -> dict[str, Any]:
        """The reply to POST /search; raises Refused."""
        if path != "/search":
            raise Refused("Not Found", 404)
        if not (headers.get("authorization") or "").removeprefix("Bearer ").strip():
            raise Refused("Unauthorized: missing or invalid API key.", 401)
        if not isinstance(body, dict):
            raise Refused("the body must be a JSON object")
        query, included = text_in(body, "query"), texts_in(body, "include_domains")
        if not query.strip():
            raise Refused("the query must not be empty")
        wanted = body.get("max_results", _USUAL_RESULTS)
        if type(wanted) is not int or not 0 <= wanted <= _MOST_RESULTS:
            raise Refused(f"max_results must be a number from 0 to {_MOST_RESULTS}")
        return {"query": query, "results": self._results(query, included)[:wanted]}

    def error(self, refused: Refused) -> dict[str, Any]:
        """An error in the service's form."""
        return {"detail": {"error": str(refused)}}

    def _results(self, query: str, included: list[str]) -> list[dict[str, Any]]:
        pages = [page for page in self._pages if not included or _is_within(page["url"], included)]
        found = []
        for page in pages:
            source = Source(page["url"], page["title"], tuple(split_sentences(page["content"])))
            best = ranked(query, [source], finely=2)
            found.append(page | {"score": _score(best)})
        return sorted(found, key=lambda page: (-page["score"], page["url"]))

    @cached_property
    def _pages(self) -> list[dict[str, Any]]:
        pages = []
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


def _score(candidates: list[Candidate]) -> float:
    return round(relevance(candidates[0]), 4) if candidates else 0.0


def _is_within(url: str, domains: list[str]) -> bool:
    host = urlsplit(url).hostname or ""
    return any(host == domain or host.endswith(f".{domain}") for domain in domains)
