"""Web sites as document sources, fetched by Scrapy in a separate process."""

from dataclasses import dataclass
from pathlib import Path

from selfrag_cli.local.home import home


@dataclass(frozen=True)
class SiteLimits:
    """Limits of a crawl: link depth, requested addresses, and total megabytes.

    The site's host may be on a private network if `private`, or if it is an IP address or localhost.
    """

    depth: int = 10
    pages: int = 500
    megabytes: int = 200
    private: bool = False


def cache_of(collection: str) -> Path:
    """Return the folder of a site's last fetched pages."""
    return home() / "sites" / collection
