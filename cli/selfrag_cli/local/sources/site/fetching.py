"""Requests to a site, one at a time: bounded in size and time, repeated where the site is busy."""

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from importlib.metadata import version
from shlex import quote
from typing import Self
from urllib.parse import urlsplit

import httpx2

from selfrag.adapters.outbound import unreachable
from selfrag.domain.documents import MAX_DOCUMENT_BYTES
from selfrag_cli.local.sources.site.networks import Network, PrivateNetwork
from selfrag_cli.local.sources.site.replies import PRIVATE, Reply, head_of
from selfrag_cli.local.sources.site.visits import Visit

# The name by which the robots.txt of a site may speak of this program.
AGENT = "selfrag"
HEADERS = {"user-agent": f"{AGENT}/{version('selfrag')}", "accept": "text/html, application/xhtml+xml, */*;q=0.8"}
TOO_LARGE = "is larger than 10 MB: no more of it was read, and nothing is kept of it"
TRIES = 3
MAX_WAIT_SECONDS, PATIENCE_SECONDS = 120.0, 900.0
_TIMEOUT = httpx2.Timeout(20.0)
BUSY = (0, 429, 500, 502, 503, 504)
_WHY = {401: "wants a login (401)", 403: "is not for everybody (403)"}


class Fetcher:
    """Fetches pages over a network; counts `requests`, `bytes`, and each wait that a site asked for, `waited` (s).

    `delay` is the pause before each request but the first one.
    """

    def __init__(self, network: Network, wait: Callable[[float], None] = time.sleep) -> None:
        self._network, self._wait = network, wait
        self._clients, self._opened = dict[tuple[str, str], httpx2.Client](), ExitStack()
        self.requests = self.bytes = 0
        self.waited: list[float] = []
        self.delay = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._opened.close()

    def get(self, address: str, known: Visit | None = None, any_kind: bool = False) -> Reply:
        """Return the reply to a request for an address; with a visit, only what has changed since is asked for."""
        for attempt in range(1, TRIES + 1):
            reply = self._once(address, known, any_kind)
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

    def _once(self, address: str, known: Visit | None, any_kind: bool) -> Reply:
        if self.requests and self.delay:
            self._wait(self.delay)
        self.requests += 1
        headers = {**HEADERS, **(known.conditions() if known else {})}
        self._network.begin()
        try:
            with self._client(address).stream("GET", address, headers=headers, timeout=_TIMEOUT) as response:
                return self._read(head_of(address, response), response, any_kind)
        except PrivateNetwork as error:
            how = f"if it is a site of yours: `selfrag ingest {quote(address)} --private`"
            return Reply(PRIVATE, f"was not asked: {error}; {how}")
        except httpx2.TimeoutException:
            return Reply(0, "did not reply in time")
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            why = f"was not sent: {unreachable(error, address)}"
            return Reply(0, why, unreachable=isinstance(error, httpx2.ConnectError))

    def _read(self, head: Reply, response: httpx2.Response, any_kind: bool) -> Reply:
        if not response.is_success:
            return replace(head, why=_WHY.get(head.status, f"was not sent: the reply has status {head.status}"))
        if not head.ending and not any_kind:
            return head
        parts, size = [], 0
        if int(response.headers.get("content-length", "0")) > MAX_DOCUMENT_BYTES:
            return replace(head, why=TOO_LARGE)
        for part in response.iter_bytes():
            parts.append(part)
            size += len(part)
            if size > MAX_DOCUMENT_BYTES:
                return replace(head, why=TOO_LARGE)
        self.bytes += size
        return replace(head, content=b"".join(parts))

    def _client(self, address: str) -> httpx2.Client:
        # Schemes may have proxies of their own.
        scheme, origin = urlsplit(address)[:2]
        if (scheme, origin) not in self._clients:
            self._clients[scheme, origin] = self._opened.enter_context(self._network.client(address))
        return self._clients[scheme, origin]
