"""Tavily's search over HTTP (docs.tavily.com, POST /search)."""

from typing import Any

import httpx2
from typing_extensions import override

from selfrag.adapters.outbound import checked_url, post
from selfrag.domain.errors import TemporarilyUnavailable
from selfrag.ports.web import Domains, WebSearch
from selfrag.runtime.deadline import time_for_a_call


class Tavily(WebSearch):
    """A search by a shared client, before `deadline_ms` and within this timeout in seconds.

    Raises selfrag's typed errors.
    """

    def __init__(
        self, client: httpx2.Client, base_url: str, key: str, seconds: float, deadline_ms: float | None = None
    ) -> None:
        self._client, self._key = client, key
        self._url = checked_url(base_url, "SELFRAG_WEB_BASE_URL").rstrip("/") + "/search"
        self._seconds, self._deadline_ms = seconds, deadline_ms

    @override
    def __call__(self, query: str, max_results: int, domains: Domains) -> Any:
        body = {
            "query": query,
            "max_results": max_results,
            "include_domains": list(domains.included),
            "exclude_domains": list(domains.excluded),
        }
        headers = {"Authorization": f"Bearer {self._key}"}
        seconds = time_for_a_call(self._deadline_ms, self._seconds)
        reply = post(self._client, self._url, "the web search", body, headers, seconds)
        try:
            return reply.json()
        except ValueError as error:
            raise TemporarilyUnavailable("the web search sent a reply that is not JSON") from error
