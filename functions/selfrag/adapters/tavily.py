"""Tavily's search over HTTP (docs.tavily.com, POST /search)."""

from typing import Any

import httpx2

from selfrag.adapters.outbound import checked_url, host_of, unreachable
from selfrag.domain.errors import Misconfigured, RequestRejected, TemporarilyUnavailable
from selfrag.ports.web import Domains
from selfrag.runtime.deadline import time_for_a_call


class Tavily:
    """A search by a shared client, before `deadline_ms` and within this timeout in seconds.

    Raises selfrag's typed errors.
    """

    def __init__(
        self, client: httpx2.Client, base_url: str, key: str, seconds: float, deadline_ms: float | None = None
    ) -> None:
        self._client, self._key = client, key
        self._url = checked_url(base_url, "SELFRAG_WEB_BASE_URL").rstrip("/") + "/search"
        self._seconds, self._deadline_ms = seconds, deadline_ms

    def __call__(self, query: str, max_results: int, domains: Domains) -> Any:
        """Return the service's reply as parsed JSON."""
        body = {
            "query": query,
            "max_results": max_results,
            "include_domains": list(domains.included),
            "exclude_domains": list(domains.excluded),
        }
        reply = self._post(body)
        if reply.status_code in (408, 429) or reply.status_code >= 500:
            raise TemporarilyUnavailable(f"the web search is busy: status {reply.status_code}")
        if reply.status_code in (401, 403):
            raise Misconfigured(f"the web search at {host_of(self._url)} refused the key: status {reply.status_code}")
        if reply.status_code == 404:
            raise Misconfigured(f"{host_of(self._url)} knows no web search, so its base URL is wrong: status 404")
        if reply.status_code >= 400:
            raise RequestRejected(f"the web search refused the request: status {reply.status_code}")
        try:
            return reply.json()
        except ValueError as error:
            raise TemporarilyUnavailable("the web search sent a reply that is not JSON") from error

    def _post(self, body: dict[str, Any]) -> httpx2.Response:
        headers = {"Authorization": f"Bearer {self._key}"}
        seconds = time_for_a_call(self._deadline_ms, self._seconds)
        try:
            return self._client.post(self._url, json=body, headers=headers, timeout=seconds)
        except httpx2.TimeoutException as error:
            raise TemporarilyUnavailable(f"the web search at {host_of(self._url)} did not reply in time") from error
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise unreachable(error, self._url) from error
