"""The Scrapy crawl of a site, in a separate process because Twisted's reactor can start only once.

Reads a task as JSON from stdin, writes documents to a folder, and JSON lines to stdout: progress, then the result.
"""

import asyncio
import hashlib
import json
import mimetypes
import os
import resource
import sys
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import suppress
from email.utils import parsedate_to_datetime
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from shlex import quote
from typing import Any, Self
from urllib.parse import urlsplit
from urllib.request import getproxies

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler, CrawlerProcess
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import CannotResolveHostError, CloseSpider, DownloadCancelledError, IgnoreRequest
from scrapy.http import Response
from scrapy.linkextractors import LinkExtractor
from scrapy.robotstxt import RobotParser
from scrapy.spidermiddlewares.httperror import HttpError

from selfrag.domain.documents import MAX_DOCUMENT_BYTES
from selfrag.domain.errors import InvalidInput
from selfrag.domain.kinds import EXTENSIONS, REFUSED
from selfrag.domain.kinds import ending_of as document_ending
from selfrag_cli.local.sources.site.addresses import canonical, same_site
from selfrag_cli.local.sources.site.guard import PublicResolver, is_public, literal_address

AGENT = "selfrag"
MAX_REDIRECTS, MAX_WAIT_SECONDS, MAX_DELAY_SECONDS = 5, 120, 60.0
# CPU seconds of a crawl, plus one per page.
SECONDS = 60
MAX_MEMORY = 2 * 1024 * 1024 * 1024
# Consecutive failures after which a crawl gives up.
GIVE_UP_AFTER = 5
BUSY = (429, 500, 502, 503, 504)
# Generic content types, for which the extension decides.
_VAGUE = ("", "application/octet-stream", "binary/octet-stream", "application/force-download", "text/plain")
_NO_DOCUMENTS = ("audio/", "font/", "image/", "video/", "text/css", "text/javascript", "application/javascript")
# A page modified this recently was generated for the request.
_NEW_SECONDS = 60
# Reasons for skipped addresses, in display order.
_NOTES = {
    "forbidden": "not read, because robots.txt forbids it",
    "elsewhere": "not read, because it leads to another site",
    "missing": "linked and not there",
    "gone": "gone from the site, and removed",
    "copy": "read once, because another address has the same content",
    "left": "not requested: --pages {pages} and --megabytes {megabytes} are the limits",
    "deeper": "not requested: more than --depth {depth} links away from the first page",
}
_SHOWN = 3


class Skip(IgnoreRequest):
    """A request that is not made; `note` is its reason in the report, "" for failures reported separately."""

    def __init__(self, why: str, note: str = "", busy: bool = False) -> None:
        super().__init__(why)
        self.why, self.note, self.busy = why, note, busy


class CrawlRules(RobotsTxtMiddleware):
    """Request rules: robots.txt, one site, limits, and no private hosts through a proxy.

    Waits as a busy site requests and records failures, for which the cache may have the page.
    """

    async def process_request(self, request: Request, spider: Any = None) -> None:
        """Raise IgnoreRequest for a forbidden request."""
        spider, host = self.crawler.spider, urlsplit(request.url).hostname or ""
        is_page, literal = "address" in request.meta, literal_address(host)
        if is_page and spider.site and not same_site(request.url, spider.site):
            raise Skip("leads to another site", "elsewhere")
        # A proxy resolves names itself; its own name is trusted only as a proxy.
        if host != spider.private_host and (host in PublicResolver.trusted or (literal and not is_public(literal))):
            PublicResolver.refused.setdefault(host, set()).add(literal or host)
            raise Skip("is in a private network")
        try:
            await super().process_request(request)
        except IgnoreRequest:
            raise Skip("is not for programs: the robots.txt of its site forbids it", "forbidden") from None
        if is_page and spider.rules_failure:
            raise Skip(f"was not read: {spider.rules_failure}", busy=True)
        if is_page and spider.delay > MAX_DELAY_SECONDS:
            raise Skip(f"was not asked: robots.txt asks for {spider.delay:g} s between two requests: too long")
        if is_page and "redirect_times" not in request.meta and "retry_times" not in request.meta:
            if spider.requested >= spider.task["pages"] or spider.bytes >= spider.task["megabytes"] * 1_000_000:
                raise Skip("is beyond the limits", "left")
            spider.requested += 1

    async def process_response(self, request: Request, response: Response) -> Response:
        """Return the response after the requested wait."""
        why = f"was not sent: the reply has status {response.status}" if response.status in BUSY else ""
        self._note(request, why)
        wait = header(response, "Retry-After")
        if why and "cached_response" not in request.meta and wait.isdigit():
            request.meta["dont_retry"] = int(wait) > MAX_WAIT_SECONDS
            await asyncio.sleep(int(wait) if int(wait) <= MAX_WAIT_SECONDS else 0)
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Record a missing response; an unreachable host has no robots.txt either."""
        is_refused = isinstance(exception, CannotResolveHostError | Skip)
        self._note(request, "" if is_refused else reason_of(request.url, exception))

    def _note(self, request: Request, why: str) -> None:
        request.meta["failure"] = why
        spider: Any = self.crawler.spider
        if "address" not in request.meta:
            spider.rules_failure = f"{request.url}, which says what programs may read, {why}" if why else ""


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
    # max-age=0 revalidates pages that the cache considers fresh.
    "DEFAULT_REQUEST_HEADERS": {"Accept": "text/html, application/xhtml+xml, */*;q=0.8", "Cache-Control": "max-age=0"},
    "COOKIES_ENABLED": False,
    "METAREFRESH_ENABLED": False,
    "REFERER_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "LOG_ENABLED": False,
}


class SiteSpider(Spider):
    """Follows links from the first page on the same host."""

    name = "site"

    def __init__(self, task: Mapping[str, Any]) -> None:
        super().__init__()
        self.task, self.site, self.error = task, "", dict[str, object]()
        host = urlsplit(task["address"]).hostname or ""
        self.private_host = host if task["private"] or literal_address(host) else ""
        self.delay, self.rules_failure = 0.0, ""
        self.requested = self.bytes = self._failures = 0
        self._met, self._digests, self._counts = {task["address"]}, dict[str, str](), Counter[str]()
        self._notes: dict[str, dict[str, None]] = {note: {} for note in _NOTES}
        self._pages, self._others, self._unread = dict[str, str](), Counter[str](), dict[str, str]()
        self._moved = list[str]()

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Create the spider and subscribe it to robots.txt."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.keep_delay, signal=signals.robots_parsed)
        crawler.signals.connect(spider.note_circle, signal=signals.request_dropped)
        return spider

    async def start(self) -> AsyncIterator[Request]:
        """Yield the first request."""
        yield self._request(self.task["address"])

    def keep_delay(self, robotparser: RobotParser) -> None:
        """Apply the crawl delay of a host's rules."""
        self.delay = max(self.delay, float(robotparser.crawl_delay(AGENT) or 0.0))
        for slot in self.crawler.engine.downloader.slots.values():
            slot.delay, slot.jitter = self.delay, 0.0

    def note_circle(self, request: Request) -> None:
        """Record a redirect loop; other duplicate addresses need no second request."""
        chain = request.meta.get("redirect_urls", [])
        if request.url in chain:
            self._leave(chain[0], f"leads in a circle: {' to '.join([*chain, request.url])}", busy=False)

    def parse(self, response: Response) -> Iterator[Request]:
        """Store a response and yield requests for its links."""
        first, address, status = response.meta["address"], response.url, response.status
        media = header(response, "Content-Type").partition(";")[0].strip().lower()
        ending = ending_for(address, media)
        if status != 200 or not (ending or self.site):
            kind = ending_of(address) or mimetypes.guess_extension(media) or "without an ending"
            why = f"is of no kind that is read ({kind})"
            if status != 200:
                why = f"was not sent: the reply has status {status}"
            if self.site and status in (404, 410):
                self._notes["gone" if self._earlier_name(first) else "missing"][f"{first} ({status})"] = None
            else:
                self._leave(first, why, status in BUSY)
        elif not ending:
            self._others[ending_of(address) or mimetypes.guess_extension(media) or ""] += 1
        else:
            self._take(response, ending)
            if ending == ".html":
                yield from self._follow(response)
        self._report(address)

    def fail(self, failure: Any) -> None:
        """Record the failure of an address."""
        error, request = failure.value, failure.request
        first, at, host = request.meta["address"], request.url, urlsplit(request.url).hostname or ""
        why, is_busy = reason_of(at, error), not isinstance(error, IgnoreRequest | DownloadCancelledError)
        if isinstance(error, Skip):
            why, is_busy = error.why, error.busy
            if error.note and self.site:
                self._notes[error.note][first] = None
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
        if not self.site and not same_site(first, address):
            self._moved.append(f"{first} leads to {address}, whose site was read.")
        self.site = self.site or address
        self.bytes += 0 if is_cached else len(response.body)
        name, digest = document_name(address, ending), hashlib.sha256(response.body).hexdigest()
        if digest in self._digests:
            self._notes["copy"][f"{address} ({self._digests[digest]})"] = None
            return
        self._counts["unchanged" if is_cached else "read"] += 1
        Path(self.task["folder"], str(len(self._pages))).write_bytes(response.body)
        self._digests[digest], self._pages[name] = name, day_of(response)

    def _follow(self, response: Any) -> Iterator[Request]:
        for link in LinkExtractor(tags=("a", "area"), deny_extensions=()).extract_links(response):
            try:
                address = canonical(link.url)
            except InvalidInput:
                continue
            if address in self._met or not same_site(address, self.site):
                continue
            self._met.add(address)
            if response.meta["depth"] == self.task["depth"]:
                self._notes["deeper"][address] = None
            elif ending := refused_ending(address):
                self._others[ending] += 1
            else:
                yield self._request(address)

    def _request(self, address: str) -> Request:
        # Scrapy follows redirects; other statuses are responses.
        meta = {"handle_httpstatus_list": range(400, 600), "address": address}
        return Request(address, self.parse, errback=self.fail, meta=meta)

    def _leave(self, address: str, why: str, busy: bool) -> None:
        """Record an unread address; end the crawl if it is the first or the site is down."""
        self._failures += busy
        if self.error:
            return
        if not self.site or self._failures >= GIVE_UP_AFTER:
            others = f", and {self._failures - 1} addresses before it" if self.site else ""
            end = "; nothing was changed; try again later" if busy else ""
            self.error = {"is_busy": busy, "error": f"{address} {why}{others}{end}."}
            raise CloseSpider
        self._unread[self._earlier_name(address) or address] = f"{address} {why}."

    def _earlier_name(self, address: str) -> str:
        """Return the document name of an address in the last crawl, or ""."""
        return next((name for name in self.task["earlier"] if name.partition("#")[0] == address), "")

    def _report(self, address: str) -> None:
        try:
            print(json.dumps({"requested": self.requested, "met": len(self._met), "address": address}), flush=True)
        except BrokenPipeError:  # nobody waits for the result any longer
            os._exit(1)

    def result(self) -> Mapping[str, object]:
        """Return the documents with dates, counts and notes; or the error."""
        counts, notes = self._counts, list(self._moved)
        if self.error or not self.site:
            return self.error or {"is_busy": False, "error": f"{self.task['address']} leads nowhere."}
        if self.delay:
            notes.append(f"robots.txt asks for {self.delay:g} s between two requests, and got them.")
        for note, addresses in self._notes.items():
            if addresses:
                number = "1 address was" if len(addresses) == 1 else f"{len(addresses)} addresses were"
                more = f" and {len(addresses) - _SHOWN} more" if len(addresses) > _SHOWN else ""
                shown = ", ".join(list(addresses)[:_SHOWN])
                notes.append(f"{number} {_NOTES[note].format(**self.task)}: {shown}{more}.")
        statuses = self.crawler.stats.get_stats().items()
        redirects = sum(count for name, count in statuses if name.startswith("downloader/response_status_count/3"))
        summary = (
            f"{self.requested} addresses requested: {counts['read']} read ({self.bytes / 1e6:.1f} MB), "
            f"{counts['unchanged']} unchanged, {redirects} redirects"
        )
        files = {"pages": self._pages, "others": self._others, "unread": self._unread}
        return {**files, "notes": notes, "summary": summary}


def document_name(address: str, ending: str) -> str:
    """Return an address's document name, with an extension if the type differs."""
    shown = document_ending(f"site/{address}")
    return address if shown == ending or {shown, ending} <= {".htm", ".html"} else f"{address}#{ending}"


def header(response: Response, name: str) -> str:
    """Return a response header, or ""."""
    return (response.headers.get(name) or b"").decode("latin-1")


def reason_of(address: str, error: BaseException) -> str:
    """Return the reason for a failed request as a clause."""
    parts, name = urlsplit(address), type(error).__name__
    host = parts.netloc if parts.port else f"{parts.netloc}:{443 if parts.scheme == 'https' else 80}"
    if "max redirections" in str(error):
        return f"leads on more than {MAX_REDIRECTS} times, at last to {address}"
    if isinstance(error, HttpError):
        return f"was not sent: the reply has status {error.response.status}"
    if isinstance(error, IgnoreRequest | DownloadCancelledError):
        return "is larger than 10 MB: no more of it was read, and nothing is kept of it"
    if name == "DownloadTimeoutError":
        return "did not reply in time"
    cause = "its name cannot be looked up (DNS)" if isinstance(error, CannotResolveHostError) else name
    return f"was not sent: {host} cannot be reached ({cause})"


def ending_for(address: str, media: str) -> str:
    """Return the extension for a page's type, or that of its address; "" if unsupported."""
    named, usual = ending_of(address), mimetypes.guess_all_extensions(media)
    if media in ("text/html", "application/xhtml+xml"):
        return ".html"
    if named in EXTENSIONS and (media in _VAGUE or not usual or named in usual):
        return named
    return next((ending for ending in usual if ending in EXTENSIONS), "")


def refused_ending(address: str) -> str:
    """Return the extension of an address of an unsupported kind, which needs no request; else ""."""
    ending = ending_of(address)
    media = mimetypes.guess_type(f"x{ending}")[0] or ""
    return ending if ending in REFUSED or media.startswith(_NO_DOCUMENTS) else ""


def ending_of(address: str) -> str:
    """Return an address's extension."""
    return PurePosixPath(urlsplit(address).path.rpartition("/")[2]).suffix.lower()


def day_of(response: Response) -> str:
    """Return a page's modification date in ISO 8601, or ""."""
    try:
        changed = parsedate_to_datetime(header(response, "Last-Modified"))
        is_new = (parsedate_to_datetime(header(response, "Date")) - changed).total_seconds() <= _NEW_SECONDS
    except (ValueError, TypeError):
        return ""
    return "" if is_new else changed.date().isoformat()


def main() -> None:
    """Crawl a site."""
    os.umask(0o077)
    task = json.load(sys.stdin)
    # Untrusted pages: limit the CPU time and memory of a crawl.
    for kind, limit in ((resource.RLIMIT_CPU, SECONDS + task["pages"]), (resource.RLIMIT_AS, MAX_MEMORY)):
        with suppress(OSError, ValueError):  # systems differ in the limits they support
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
