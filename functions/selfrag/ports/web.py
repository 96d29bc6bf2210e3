"""Web search: a service, and the domains that it may return results from."""

from typing import Any, Protocol
from urllib.parse import urlsplit

from pydantic import BaseModel


class Domains(BaseModel):
    """The domains that may be used: all but `excluded`, and only those `included` if there are any."""

    included: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()

    def allow(self, url: str) -> bool:
        """Return whether a URL's host is one of the domains that may be used, or below one."""
        try:
            host, scheme = urlsplit(url).hostname, urlsplit(url).scheme
        except ValueError:
            return False
        if host is None or scheme not in ("http", "https"):
            return False
        if any(_is_within(host, domain) for domain in self.excluded):
            return False
        return not self.included or any(_is_within(host, domain) for domain in self.included)


class WebSearch(Protocol):
    """A web search service."""

    def __call__(self, query: str, max_results: int, domains: Domains) -> Any:
        """Return the service's reply as parsed JSON."""


def _is_within(host: str, domain: str) -> bool:
    host, domain = host.lower().rstrip("."), domain.lower().strip(".")
    return host == domain or host.endswith("." + domain)
