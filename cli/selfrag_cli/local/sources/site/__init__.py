"""Web sites as sources of documents: Scrapy fetches the pages in a process of its own."""

from dataclasses import dataclass
from pathlib import Path

from selfrag_cli.local.home import home


@dataclass(frozen=True)
class SiteLimits:
    """The bounds of a crawl: links from the first page, addresses that are requested, and bytes in all (in millions).

    The site's host may be in a private network if `private` says so, or if it is written as an address or as localhost.
    """

    depth: int = 10
    pages: int = 500
    megabytes: int = 200
    private: bool = False


def cache_of(collection: str) -> Path:
    """Return the folder in the home that has the pages of a collection's site as they were fetched last."""
    return home() / "sites" / collection
