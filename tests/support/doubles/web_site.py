"""A web site on loopback with common behaviour: pages with validators, redirects, and errors."""

import hashlib
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from werkzeug.wrappers import Request, Response

from tests.support.documents.files import pdf

DAY = "Sat, 31 Jan 2026 10:00:00 GMT"
HUGE = 50_000_000
# The documents of `handbook`.
PAGES = 200

# A page, a redirect, or another reply; the same object has the same validators.
Served = str | Callable[[], Response]


def page(title: str, text: str, *links: str, head: str = "") -> str:
    """Return a page with these links."""
    items = "".join(f'<p>See <a href="{link}">this page</a>, which says more about it.</p>' for link in links)
    return f"<html><head><title>{title}</title>{head}</head><body><h1>{title}</h1><p>{text}</p>{items}</body></html>"


def moved(location: str) -> Callable[[], Response]:
    """Return a redirect."""
    return lambda: Response(status=302, headers={"Location": location})


def busy(retry_after: str, status: int = 429) -> Response:
    """Return the reply of a site that is busy."""
    return Response(status=status, headers={"Retry-After": retry_after} if retry_after else {})


@dataclass
class WebSite:
    """An app for `Loopback`: the content of each path, and one-time replies before it.

    `asked` counts requests, `sent` those that were answered with a body, `agents` the names of those who asked.
    """

    served: dict[str, Served]
    robots: Served = ""
    first: dict[str, list[Response]] = field(default_factory=dict)
    asked: Counter[str] = field(default_factory=Counter)
    sent: Counter[str] = field(default_factory=Counter)
    agents: set[str] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, request: Request) -> Response:
        """Answer a request."""
        path = request.full_path.rstrip("?")
        with self._lock:
            self.asked[path] += 1
            self.agents.add(request.user_agent.string)
            if self.first.get(path):
                return self.first[path].pop(0)
        served = {**self.served, "/robots.txt": self.robots}.get(path)
        if served is None:
            return Response(status=404)
        response = Response(served, mimetype="text/html") if isinstance(served, str) else served()
        if response.status_code != 200 or path == "/robots.txt":
            return response
        if "ETag" not in response.headers:
            told = served if isinstance(served, str) else path
            response.set_etag(hashlib.sha256(told.encode()).hexdigest()[:16])
        response.headers.setdefault("Last-Modified", DAY)
        if (response.get_etag()[0] or "") in request.if_none_match:
            return Response(status=304, headers={"ETag": response.headers["ETag"]})
        with self._lock:
            self.sent[path] += 1
        return response


def small(pages: Mapping[str, Served]) -> WebSite:
    """Return a site of a first page that links these pages; a text that is no page is put into one."""

    def shown(path: str, served: Served) -> Served:
        return page(path, served) if isinstance(served, str) and not served.startswith("<html>") else served

    texts = {path: shown(path, served) for path, served in pages.items()}
    return WebSite({"/": page("Home", "The first page of a small site.", *pages), **texts})


def handbook() -> WebSite:
    """Return a site of `PAGES` documents, one of them a PDF, with redirects and unreadable addresses.

    One redirect leads to a page, one to a page in two hops, one to another host, and one is a loop; one page has 50 MB,
    one is busy at first, one is disallowed by robots.txt, one is missing, and one is a picture.
    """
    robots = "User-agent: *\nDisallow: /private/\nCrawl-delay: 0.01\n"
    others: dict[str, Served] = {
        "/old": moved("/item/1"),
        "/older": moved("/older-too"),
        "/older-too": moved("/moved"),
        "/away": moved("http://elsewhere.invalid/"),
        "/loop": moved("/loop/again"),
        "/loop/again": moved("/loop"),
        "/huge": lambda: Response(_huge(), mimetype="text/html"),
        "/busy": page("Busy", "The busy page tells of ferries."),
        "/moved": page("Moved", "What was moved is here."),
        "/rules.pdf": lambda: Response(pdf("Rule 7 says that cranes rest at night."), mimetype="application/pdf"),
    }
    return WebSite({**dict(_lists()), **others}, robots, {"/busy": [busy("0")]})


def _lists() -> Iterator[tuple[str, str]]:
    """Yield a first page, those that list ten others each, and these others."""
    lists = [f"/list/{number}" for number in range(18)]
    others = ("/old", "/older", "/away", "/loop", "/huge", "/busy", "/private/pay", "/missing", "/rules.pdf", "/a.png")
    yield "/", page("Handbook", "All that there is to know.", *lists, *others, "http://other.invalid/", "mailto:a@b.c")
    items = [f"/item/{number}" for number in range(178)]
    for number, path in enumerate(lists):
        ten = items[number * 10 : number * 10 + 10]
        yield path, page(f"List {number}", f"These are of list{number}.", *(f"{item}#part" for item in ten), "/")
    for number, path in enumerate(items):
        yield path, page(f"Item {number}", f"The rule of item{number} says {number} days.", "/", "./../list/1")


def _huge() -> Iterator[bytes]:
    yield b"<h1>Huge</h1>"
    for _ in range(HUGE // 100_000):
        yield b"<p>word</p>\n" * (100_000 // 12)
