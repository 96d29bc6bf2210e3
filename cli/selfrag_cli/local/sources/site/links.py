"""The links of a web page."""

from selfrag.domain.errors import BadDocument
from selfrag.reader.data.encodings import decoded
from selfrag.reader.processes.pool import ContainedFunction
from selfrag.reader.web.html import tree_of
from selfrag_cli.local.sources.site.addresses import linked

_READ = ContainedFunction("selfrag_cli.local.sources.site.links:links_here", "web page")


def links_of(address: str, content: bytes) -> list[str]:
    """Return the addresses that a page leads to, each once, in their order; none of what no reader takes for a page.

    A worker process reads the page: anybody may have written it.
    """
    try:
        links: list[str] = _READ(address, content)
    except BadDocument:  # ingestion reports it
        return []
    return links


def links_here(address: str, content: bytes) -> list[str]:
    """Return the same in this process; raises BadDocument."""
    html, _ = decoded(address, content, declares=True)
    tree = tree_of(address, html)
    base = next((node.attributes.get("href") or "" for node in tree.css("base[href]")), "")
    hrefs = [node.attributes.get("href") or "" for node in tree.css("a[href], area[href]")]
    links = (linked(linked(address, base) or address, href) for href in hrefs)
    return list(dict.fromkeys(link for link in links if link))
