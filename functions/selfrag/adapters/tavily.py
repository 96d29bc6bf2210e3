"""Tavily's search over HTTP (docs.tavily.com, POST /search)."""

from typing import Any

import httpx2

from selfrag.domain.errors import Misconfigured, RequestRejected, TemporarilyUnavailable
from selfrag.ports.web import Domains
from selfrag.runtime.deadline import time_for_a_call


class Tavily:
    """One search, made before `deadline_ms` and within so many seconds; raises selfrag's typed errors."""

    def __init__(self, base_url: str, key: str, seconds: float, deadline_ms: float | None = None) -> None:
        self._url, self._key = base_url.rstrip("/") + "/search", key
        self._seconds, self._deadline_ms = seconds, deadline_ms

    def __call__(self, query: str, max_results: int, domains: Domains) -> Any:
        """The service's reply as parsed JSON."""
        body = {
            "query": query,
            "max_results": max_results,
            "include_domains": list(domains.included),
            "exclude_domains": list(domains.excluded),
        }
        try:
            reply = httpx2.post(
                self._url,
                json=body,
                headers={"Authorization": f"Bearer {self._key}"},
                timeout=time_for_a_call(self._deadline_ms, self._seconds),
            )
        except httpx2.HTTPError as error:
            raise TemporarilyUnavailable(f"the web search cannot be reached: {type(error).__name__}") from error
        if reply.status_code in (408, 429) or reply.status_code >= 500:
            raise TemporarilyUnavailable(f"the web search is busy: status {reply.status_code}")
        if reply.status_code in (401, 403, 404):
            raise Misconfigured(f"the web search refused the key or its address: status {reply.status_code}")
        if reply.status_code >= 400:
            raise RequestRejected(f"the web search refused the request: status {reply.status_code}")
        try:
            return reply.json()
        except ValueError as error:
            raise TemporarilyUnavailable("the web search sent a reply that is not JSON") from error
