"""Tavily's search over HTTP (docs.tavily.com, POST /search)."""

from typing import Any

import httpx2
from aws_lambda_powertools.utilities import parameters

from search_web.logic import Domains
from selfrag.deadline import time_for_a_call
from selfrag.errors import Misconfigured, RequestRejected, TemporarilyUnavailable
from selfrag.outbound import checked_url, host_of, http_client_for, unreachable
from selfrag.settings import Settings


class Tavily:
    """One search, made before `deadline_ms`; raises selfrag's typed errors."""

    def __init__(self, config: Settings, deadline_ms: float | None = None) -> None:
        self._config, self._deadline_ms = config, deadline_ms

    def __call__(self, query: str, max_results: int, domains: Domains) -> Any:
        """The service's reply as parsed JSON."""
        body = {
            "query": query,
            "max_results": max_results,
            "include_domains": list(domains.included),
            "exclude_domains": list(domains.excluded),
        }
        url = checked_url(self._config.web_base_url, "SELFRAG_WEB_BASE_URL")
        reply = self._post(url, body)
        if reply.status_code in (408, 429) or reply.status_code >= 500:
            raise TemporarilyUnavailable(f"the web search is busy: status {reply.status_code}")
        if reply.status_code in (401, 403):
            raise Misconfigured(f"the web search at {host_of(url)} refused the key: status {reply.status_code}")
        if reply.status_code == 404:
            raise Misconfigured(f"{host_of(url)} knows no web search, so its base URL is wrong: status 404")
        if reply.status_code >= 400:
            raise RequestRejected(f"the web search refused the request: status {reply.status_code}")
        try:
            return reply.json()
        except ValueError as error:
            raise TemporarilyUnavailable("the web search sent a reply that is not JSON") from error

    def _post(self, url: str, body: dict[str, Any]) -> httpx2.Response:
        headers = {"Authorization": f"Bearer {self._key()}"}
        seconds = time_for_a_call(self._deadline_ms, self._config.web_timeout_seconds)
        with http_client_for(url) as client:
            try:
                return client.post(url.rstrip("/") + "/search", json=body, headers=headers, timeout=seconds)
            except httpx2.TimeoutException as error:
                raise TemporarilyUnavailable(f"the web search at {host_of(url)} did not reply in time") from error
            except (httpx2.HTTPError, httpx2.InvalidURL) as error:
                raise unreachable(error, url) from error

    def _key(self) -> str:
        if not self._config.web_secret:
            raise Misconfigured("SELFRAG_WEB_SECRET must name the secret that holds the key of the web search")
        try:
            return str(parameters.get_secret(self._config.web_secret)).strip()
        except parameters.exceptions.GetParameterError as error:
            raise Misconfigured(f"the secret {self._config.web_secret} cannot be read") from error
