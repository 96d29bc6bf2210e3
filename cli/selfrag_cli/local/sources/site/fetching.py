"""Requests to a site, one at a time: by its robots.txt, bounded in size and time, repeated where the site is busy."""

import mimetypes
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from importlib.metadata import version
from pathlib import PurePosixPath
from shlex import quote
from typing import Self
from urllib.parse import urlsplit

import httpx2
from protego import Protego

from selfrag.adapters.outbound import unreachable
from selfrag.adapters.transport import TOTAL_SECONDS
from selfrag.domain.documents import MAX_DOCUMENT_BYTES
from selfrag.domain.errors import InvalidInput, TemporarilyUnavailable
from selfrag.domain.kinds import EXTENSIONS, REFUSED
from selfrag_cli.local.sources.site.addresses import linked
from selfrag_cli.local.sources.site.networks import Network, PrivateNetwork
from selfrag_cli.local.sources.site.visits import Visit

# The name by which the robots.txt of a site may speak of this program.
AGENT = "selfrag"
HEADERS = {"user-agent": f"{AGENT}/{version('selfrag')}", "accept": "text/html, application/xhtml+xml, */*;q=0.8"}
# The status of an address that was not requested, because it is in a private network.
PRIVATE = -1
BUSY = (0, 429, 500, 502, 503, 504)
TRIES, MAX_REDIRECTS = 3, 5
MAX_WAIT_SECONDS, PATIENCE_SECONDS = 120.0, 900.0
# A site that wants a longer pause between two requests is not read.
MAX_DELAY_SECONDS = 60.0
# As much of robots.txt as RFC 9309 has every reader take.
_MAX_ROBOTS_BYTES = 512_000
_TIMEOUT = httpx2.Timeout(20.0)
REQUEST_SECONDS = 120.0
_TOO_LARGE = "is larger than 10 MB: no more of it was read, and nothing is kept of it"
_WHY = {401: "wants a login (401)", 403: "is not for everybody (403)"}
# Types that say no more than that there are bytes, or text: then the ending of the address counts.
_VAGUE = ("", "application/octet-stream", "binary/octet-stream", "application/force-download", "text/plain")
# Kinds that are not requested: what only shows, sounds or runs.
_NO_DOCUMENTS = ("audio/", "font/", "image/", "video/", "text/css", "text/javascript", "application/javascript")
# A page that was changed no longer than this before it was sent was made for the request.
_NEW = timedelta(seconds=60)


@dataclass(frozen=True)
class SiteReply:
    """The reply to a request; status 0 for none, PRIVATE if the request was not sent; `why` says why in a clause.

    `unreachable` hosts cannot be connected to, and need not be tried again. `location` is where a redirect leads,
    `retry_after` how long to wait in seconds. `ending` is that of the kind, "" for one that is not read, whose ending
    is `other`; the content is empty then. `day` is when the page was changed, in ISO 8601, "" if that is not known.
    """

    status: int
    why: str = ""
    unreachable: bool = False
    location: str = ""
    retry_after: float | None = None
    etag: str = ""
    modified: str = ""
    ending: str = ""
    other: str = ""
    content: bytes = b""
    day: str = ""

    @property
    def ok(self) -> bool:
        """Return whether the address has sent something."""
        return 200 <= self.status < 300


class Fetcher:
    """Fetches pages over a network; counts `requests`, `bytes`, and each wait that a site asked for, `waited` (s).

    `delay` is the pause before each request but the first one, the longest that a robots.txt asks for.
    """

    def __init__(self, network: Network, wait: Callable[[float], None] = time.sleep) -> None:
        self._network, self._wait = network, wait
        self._clients, self._opened = dict[str, httpx2.Client](), ExitStack()
        self._rules = dict[str, Protego | None]()
        self.requests = self.bytes = 0
        self.waited: list[float] = []
        self.delay = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._opened.close()

    def may_get(self, address: str) -> bool:
        """Return whether the robots.txt of the address's host allows a request.

        Raises TemporarilyUnavailable if the rules cannot be had, InvalidInput if they ask for too long a delay.
        """
        origin = "://".join(urlsplit(address)[:2])
        if origin not in self._rules:
            self._rules[origin] = self._rules_of(f"{origin}/robots.txt")
        rules = self._rules[origin]
        return rules is None or bool(rules.can_fetch(address, AGENT))

    def get(self, address: str, before: Visit | None = None, any_kind: bool = False) -> SiteReply:
        """Return the reply to a request for an address; with a visit, only what has changed since is requested."""
        for attempt in range(1, TRIES + 1):
            reply = self._once(address, before, any_kind)
            if reply.status not in BUSY or reply.unreachable:
                break
            seconds = 2.0 ** (attempt - 1) if reply.retry_after is None else reply.retry_after
            if seconds > MAX_WAIT_SECONDS or sum(self.waited) + seconds > PATIENCE_SECONDS:
                return replace(reply, why=f"{reply.why}, and asks to be left alone for {seconds:.0f} s")
            if attempt < TRIES:
                if reply.retry_after is not None:
                    self.waited.append(seconds)
                self._wait(seconds)
        return reply

    def _once(self, address: str, before: Visit | None, any_kind: bool) -> SiteReply:
        if self.requests and self.delay:
            self._wait(self.delay)
        self.requests += 1
        headers = {**HEADERS, **(before.conditions() if before else {})}
        try:
            client, extensions = self._client(address), {TOTAL_SECONDS: REQUEST_SECONDS}
            with client.stream("GET", address, headers=headers, timeout=_TIMEOUT, extensions=extensions) as response:
                return self._read(head_of(address, response), response, any_kind)
        except PrivateNetwork as error:
            how = f"if it is a site of yours: `selfrag ingest {quote(address)} --private`"
            return SiteReply(PRIVATE, f"was not asked: {error}; {how}")
        except httpx2.TimeoutException:
            return SiteReply(0, "did not reply in time")
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            why = f"was not sent: {unreachable(error, address)}"
            return SiteReply(0, why, unreachable=isinstance(error, httpx2.ConnectError))

    def _read(self, head: SiteReply, response: httpx2.Response, any_kind: bool) -> SiteReply:
        if not response.is_success:
            return replace(head, why=_WHY.get(head.status, f"was not sent: the reply has status {head.status}"))
        if not head.ending and not any_kind:
            return head
        parts, size = [], 0
        if int(response.headers.get("content-length", "0")) > MAX_DOCUMENT_BYTES:
            return replace(head, why=_TOO_LARGE)
        for part in response.iter_bytes():
            parts.append(part)
            size += len(part)
            if size > MAX_DOCUMENT_BYTES:
                return replace(head, why=_TOO_LARGE)
        self.bytes += size
        return replace(head, content=b"".join(parts))

    def _client(self, address: str) -> httpx2.Client:
        # Schemes may have proxies of their own.
        origin = "://".join(urlsplit(address)[:2])
        if origin not in self._clients:
            self._clients[origin] = self._opened.enter_context(self._network.client(address))
        return self._clients[origin]

    def _rules_of(self, address: str) -> Protego | None:
        """Return the rules of a robots.txt; None without one."""
        for _ in range(MAX_REDIRECTS + 1):
            reply = self.get(address, any_kind=True)
            if not reply.location:
                break
            address = linked(address, reply.location) or address
        if reply.location or reply.status == PRIVATE or (400 <= reply.status < 500 and reply.status != 429):
            return None
        if reply.why:
            raise TemporarilyUnavailable(f"{address} {reply.why}: it says what programs may read, so nothing was read.")
        rules = Protego.parse(reply.content[:_MAX_ROBOTS_BYTES].decode("utf-8-sig", "replace"))
        delay = float(rules.crawl_delay(AGENT) or 0.0)
        if delay > MAX_DELAY_SECONDS:
            raise InvalidInput(f"{address} asks for {delay:g} s between two requests: too long to read a site.")
        self.delay = max(self.delay, delay)
        return rules


def head_of(address: str, response: httpx2.Response) -> SiteReply:
    """Return what the head of a response says."""
    headers, kind = response.headers, response.headers.get("content-type", "")
    ending = ending_for(address, kind)
    return SiteReply(
        status=response.status_code,
        location=headers["location"] if response.has_redirect_location else "",
        retry_after=_seconds(headers.get("retry-after", ""), headers.get("date", "")),
        etag=headers.get("etag", ""),
        modified=headers.get("last-modified", ""),
        ending=ending,
        other="" if ending else (_ending(address) or mimetypes.guess_extension(_media(kind)) or ""),
        day=_day(headers.get("last-modified", ""), headers.get("date", "")),
    )


def ending_for(address: str, content_type: str) -> str:
    """Return the ending of the kind that a page is of, by its type and else by its address; "" if it is not read."""
    media, named = _media(content_type), _ending(address)
    if media in ("text/html", "application/xhtml+xml"):
        return ".html"
    usual = mimetypes.guess_all_extensions(media)
    if named in EXTENSIONS and (media in _VAGUE or not usual or named in usual):
        return named
    return next((ending for ending in usual if ending in EXTENSIONS), "")


def no_document(address: str) -> str:
    """Return the ending of an address that needs no request, since its kind is not read; "" for all others."""
    ending = _ending(address)
    media = mimetypes.guess_type(f"x{ending}")[0] or ""
    return ending if ending in REFUSED or media.startswith(_NO_DOCUMENTS) else ""


def _media(content_type: str) -> str:
    return content_type.partition(";")[0].strip().lower()


def _ending(address: str) -> str:
    return PurePosixPath(urlsplit(address).path.rpartition("/")[2]).suffix.lower()


def _seconds(retry_after: str, date: str) -> float | None:
    """Return the seconds that a Retry-After asks to wait: it is a number, or a moment."""
    if retry_after.strip().isdecimal():
        return float(retry_after)
    moment = _moment(retry_after)
    return max(0.0, (moment - (_moment(date) or datetime.now(UTC))).total_seconds()) if moment else None


def _day(modified: str, date: str) -> str:
    moment, now = _moment(modified), _moment(date)
    return "" if moment is None or (now and now - moment <= _NEW) else moment.date().isoformat()


def _moment(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
