"""The crawl of a site by Scrapy, in a process of its own: Twisted's reactor can be started only once.

Reads a task as JSON from stdin, writes documents into a folder, and lines of JSON to stdout: progress, then the result.
"""

import hashlib
import json
import mimetypes
import os
import resource
import sys
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from shlex import quote
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies

from scrapy import Request, Spider
from scrapy.crawler import CrawlerProcess
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import CannotResolveHostError, CloseSpider, DownloadCancelledError, IgnoreRequest
from scrapy.http import Response
from scrapy.linkextractors import IGNORED_EXTENSIONS, LinkExtractor

from selfrag.domain.documents import MAX_DOCUMENT_BYTES
from selfrag.domain.errors import InvalidInput
from selfrag.domain.kinds import EXTENSIONS
from selfrag.domain.kinds import ending_of as document_ending
from selfrag_cli.local.sources.site.addresses import canonical, same_site
from selfrag_cli.local.sources.site.guard import PublicResolver, is_public, literal_address

AGENT = "selfrag"
MAX_REDIRECTS = 5
# Of computing: for a crawl, and a second more for each of its pages.
SECONDS = 60
MAX_MEMORY = 2 * 1024 * 1024 * 1024
# A site that has sent nothing so many times in a row is left alone.
GIVE_UP_AFTER = 5
BUSY = (429, 500, 502, 503, 504)
# Types that name no kind: then the ending of the address counts.
_VAGUE = ("", "application/octet-stream", "binary/octet-stream", "application/force-download", "text/plain")


class Skip(IgnoreRequest):
    """A request that is not made; `note` is the reason under which it is counted, "" for one that is told by itself."""

    def __init__(self, why: str, note: str = "", busy: bool = False) -> None:
        super().__init__(why)
        self.why, self.note, self.busy = why, note, busy


class CrawlRules(RobotsTxtMiddleware):
    """The requests that are made: by robots.txt, to one site, within the limits, and to no private host by a proxy.

    Notes why a request failed: then the cache may have the page.
    """

    async def process_request(self, request: Request, spider: Any = None) -> None:
        """Raise IgnoreRequest for a request that must not be made."""
        spider, host = self.crawler.spider, urlsplit(request.url).hostname or ""
        is_page, literal = "address" in request.meta, literal_address(host)
        if is_page and spider.site and not same_site(request.url, spider.site):
            raise Skip("leads to another site", "on another site")
        # A proxy looks names up itself, and its own name is trusted as a proxy alone.
        if host != spider.private_host and (host in PublicResolver.trusted or (literal and not is_public(literal))):
            PublicResolver.refused.setdefault(host, set()).add(literal or host)
            raise Skip("is in a private network")
        try:
            await super().process_request(request)
        except IgnoreRequest:
            raise Skip(
                "is not for programs: the robots.txt of its site forbids it", "forbidden by robots.txt"
            ) from None
        if is_page and spider.rules_failure:
            raise Skip(f"was not asked: {spider.rules_failure}, and it says what programs may read", busy=True)
        if is_page and "redirect_times" not in request.meta and "retry_times" not in request.meta:
            if spider.requested >= spider.task["pages"] or spider.bytes >= spider.task["megabytes"] * 1_000_000:
                raise Skip("is beyond the limits", "beyond --pages and --megabytes")
            spider.requested += 1

    def process_response(self, request: Request, response: Response) -> Response:
        """Return the response."""
        is_busy = response.status in BUSY
        self._note(request, f"was not sent: the reply has status {response.status}" if is_busy else "")
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Note why there is no response; a host that is not there, or not asked, has no rules either."""
        is_refused = isinstance(exception, CannotResolveHostError | Skip)
        self._note(request, "" if is_refused else reason_of(request.url, exception))

    def _note(self, request: Request, why: str) -> None:
        request.meta["failure"] = why
        spider: Any = self.crawler.spider
        if "address" not in request.meta:
            spider.rules_failure = f"{request.url} {why}" if why else ""


SETTINGS: Mapping[str, Any] = {
    "USER_AGENT": f"{AGENT}/{version('selfrag')}",
    "ROBOTSTXT_OBEY": True,
    "ROBOTSTXT_USER_AGENT": AGENT,
    "CONCURRENT_REQUESTS": 1,
    "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
    "RETRY_HTTP_CODES": BUSY,
    "REDIRECT_MAX_TIMES": MAX_REDIRECTS,
    "DOWNLOAD_TIMEOUT": 120,
    "DOWNLOAD_MAXSIZE": MAX_DOCUMENT_BYTES,
    "DOWNLOAD_VERIFY_CERTIFICATES": True,
    "TWISTED_DNS_RESOLVER": PublicResolver,
    "DOWNLOADER_MIDDLEWARES": {RobotsTxtMiddleware: None, CrawlRules: 950},
    "HTTPCACHE_ENABLED": True,
    "HTTPCACHE_GZIP": True,
    "HTTPCACHE_POLICY": "scrapy.extensions.httpcache.RFC2616Policy",
    # With max-age the site is asked also about a page that the cache takes for fresh.
    "DEFAULT_REQUEST_HEADERS": {"Accept": "text/html, application/xhtml+xml, */*;q=0.8", "Cache-Control": "max-age=0"},
    "COOKIES_ENABLED": False,
    "METAREFRESH_ENABLED": False,
    "REFERER_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "LOG_ENABLED": False,
}


class SiteSpider(Spider):
    """A walk from the first page to those that it leads to on the same host."""

    name = "site"

    def __init__(self, task: Mapping[str, Any]) -> None:
        super().__init__()
        self.task, self.site, self.error = task, "", dict[str, object]()
        host = urlsplit(task["address"]).hostname or ""
        self.private_host = host if task["private"] or literal_address(host) else ""
        self.rules_failure = ""
        self.requested = self.bytes = self._failures = 0
        self._met, self._digests, self._skipped = {task["address"]}, set[str](), Counter[str]()
        self._pages, self._unread, self._unchanged = list[str](), dict[str, str](), 0
        endings = {ending.removeprefix(".") for ending in EXTENSIONS}
        self._links = LinkExtractor(deny_extensions=[*{*IGNORED_EXTENSIONS} - endings])

    async def start(self) -> AsyncIterator[Request]:
        """Yield the first request."""
        yield self._request(self.task["address"])

    def parse(self, response: Response) -> Iterator[Request]:
        """Take what an address has sent, and yield requests for its links."""
        first, address, status = response.meta["address"], response.url, response.status
        media = (response.headers.get("Content-Type") or b"").decode("latin-1").partition(";")[0].strip().lower()
        ending = ending_for(address, media)
        if status in (404, 410) and self.site:
            self._skipped["not there"] += 1
        elif status != 200:
            self._leave(first, f"was not sent: the reply has status {status}", status in BUSY)
        elif ending:
            self._take(response, ending)
            if ending == ".html":
                yield from self._followed(response)
        elif self.site:
            self._skipped["of another kind"] += 1
        else:
            self._leave(first, f"is of no kind that is read ({media})", busy=False)
        self._report(address)

    def fail(self, failure: Any) -> None:
        """Note why an address has sent nothing."""
        error, request = failure.value, failure.request
        first, at, host = request.meta["address"], request.url, urlsplit(request.url).hostname or ""
        why, is_busy = reason_of(at, error), not isinstance(error, IgnoreRequest | DownloadCancelledError)
        if isinstance(error, Skip):
            why, is_busy = error.why, error.busy
            if error.note and self.site:
                self._skipped[error.note] += 1
                return
        if host in PublicResolver.refused and isinstance(error, CannotResolveHostError | Skip):
            addresses, is_busy = ", ".join(sorted(PublicResolver.refused[host])), False
            how = f"if it is a site of yours: `selfrag ingest {quote(at)} --private`"
            why = f"was not asked: {host} is in a private network ({addresses}); {how}"
        self._leave(first, why if at in (first, self.site) else f"leads to {at}, which {why}", is_busy)

    def _take(self, response: Response, ending: str) -> None:
        first, address, is_cached = response.meta["address"], response.url, "cached" in response.flags
        if is_cached and response.meta.get("failure"):
            self._leave(first, response.meta["failure"], busy=True)
        else:
            self._failures = 0
        self.site = self.site or address
        self.bytes += 0 if is_cached else len(response.body)
        digest = hashlib.sha256(response.body).hexdigest()
        if digest in self._digests:
            self._skipped["with the content of another page"] += 1
            return
        self._digests.add(digest)
        self._unchanged += is_cached
        Path(self.task["folder"], str(len(self._pages))).write_bytes(response.body)
        self._pages.append(document_name(address, ending))

    def _followed(self, response: Any) -> Iterator[Request]:
        for link in self._links.extract_links(response):
            try:
                address = canonical(link.url)
            except InvalidInput:
                continue
            if address in self._met or not same_site(address, self.site):
                continue
            self._met.add(address)
            if response.meta["depth"] == self.task["depth"]:
                self._skipped["beyond --depth"] += 1
            else:
                yield self._request(address)

    def _request(self, address: str) -> Request:
        # Scrapy follows redirects; every other status is a reply.
        meta = {"handle_httpstatus_list": range(400, 600), "address": address}
        return Request(address, self.parse, errback=self.fail, meta=meta)

    def _leave(self, address: str, why: str, busy: bool) -> None:
        """Note why an address was not read; ends the crawl if it is the first one, or the site is down."""
        self._failures += busy
        if self.error:
            return
        if not self.site or self._failures >= GIVE_UP_AFTER:
            others = f", and {self._failures - 1} addresses before it" if self.site else ""
            end = ": nothing was changed; try again later" if busy else ""
            self.error = {"is_busy": busy, "error": f"{address} {why}{others}{end}."}
            raise CloseSpider
        self._unread[self._earlier_name(address) or address] = f"{address} {why}."

    def _earlier_name(self, address: str) -> str:
        """Return the name of the document at an address after an earlier crawl, "" if there is none."""
        return next((name for name in self.task["earlier"] if name.partition("#")[0] == address), "")

    def _report(self, address: str) -> None:
        try:
            print(json.dumps({"requested": self.requested, "met": len(self._met), "address": address}), flush=True)
        except BrokenPipeError:  # nobody waits for the result any more
            os._exit(1)

    def result(self) -> Mapping[str, object]:
        """Return the documents, what was not read, and a summary; or the error."""
        if self.error or not self.site:
            return self.error or {"is_busy": False, "error": f"{self.task['address']} leads nowhere."}
        skipped = ", ".join(f"{count} {reason}" for reason, count in sorted(self._skipped.items()))
        notes = [f"Addresses of the site that were not read: {skipped}."] if skipped else []
        read = len(self._pages) - self._unchanged
        summary = (
            f"{self.requested} addresses requested: {read} read ({self.bytes / 1e6:.1f} MB), "
            f"{self._unchanged} unchanged"
        )
        return {"pages": self._pages, "unread": self._unread, "notes": notes, "summary": summary}


def document_name(address: str, ending: str) -> str:
    """Return the name of the document at an address: the address, and the ending of its kind where it shows another."""
    shown = document_ending(f"site/{address}")
    return address if shown == ending or {shown, ending} <= {".htm", ".html"} else f"{address}#{ending}"


def reason_of(address: str, error: BaseException) -> str:
    """Return in a clause why an address has sent nothing."""
    parts, name = urlsplit(address), type(error).__name__
    host = parts.netloc if parts.port else f"{parts.netloc}:{443 if parts.scheme == 'https' else 80}"
    if "max redirections" in str(error):
        return f"leads on more than {MAX_REDIRECTS} times, at last to {address}"
    if isinstance(error, IgnoreRequest | DownloadCancelledError):
        return "is larger than 10 MB: no more of it was read, and nothing is kept of it"
    if name == "DownloadTimeoutError":
        return "did not reply in time"
    cause = "its name cannot be looked up (DNS)" if isinstance(error, CannotResolveHostError) else name
    return f"was not sent: {host} cannot be reached: {cause}"


def ending_for(address: str, media: str) -> str:
    """Return the ending of the kind that a page is of, by its type and else by its address; "" if it is not read."""
    named, usual = ending_of(address), mimetypes.guess_all_extensions(media)
    if media in ("text/html", "application/xhtml+xml"):
        return ".html"
    if named in EXTENSIONS and (media in _VAGUE or not usual or named in usual):
        return named
    return next((ending for ending in usual if ending in EXTENSIONS), "")


def ending_of(address: str) -> str:
    """Return the ending of an address."""
    return PurePosixPath(urlsplit(address).path.rpartition("/")[2]).suffix.lower()


def main() -> None:
    """Crawl a site."""
    os.umask(0o077)
    task = json.load(sys.stdin)
    # Anybody may have written a page whose links are read here: no crawl computes or grows without an end.
    for kind, limit in ((resource.RLIMIT_CPU, SECONDS + task["pages"]), (resource.RLIMIT_AS, MAX_MEMORY)):
        with suppress(OSError, ValueError):  # systems differ in what they let a process limit
            resource.setrlimit(kind, (limit, resource.getrlimit(kind)[1]))
    process = CrawlerProcess({**SETTINGS, "HTTPCACHE_DIR": task["cache"]})
    crawler = process.create_crawler(SiteSpider)
    process.crawl(crawler, task)
    spider: Any = crawler.spider
    proxies = {urlsplit(url if "://" in url else f"http://{url}").hostname or "" for url in getproxies().values()}
    PublicResolver.trusted = {*proxies, spider.private_host} - {""}
    process.start()
    print(json.dumps(spider.result()), flush=True)


if __name__ == "__main__":
    main()
