"""The links of a web page."""

from cli.local.sources.site.addresses import linked
from ingestion.parse_document.data.encodings import decoded
from ingestion.parse_document.web.html import tree_of


def links_of(address: str, content: bytes) -> list[str]:
    """Return the addresses that a page leads to, each once, in their order; none of what no reader takes for a page."""
    try:
        html, _ = decoded(address, content, declares=True)
        tree = tree_of(address, html)
        base = next((node.attributes.get("href") or "" for node in tree.css("base[href]")), "")
        hrefs = [node.attributes.get("href") or "" for node in tree.css("a[href], area[href]")]
    except Exception:  # BadDocument, which ingestion tells of, and whatever selectolax may raise
        return []
    found = (linked(linked(address, base) or address, href) for href in hrefs)
    return list(dict.fromkeys(one for one in found if one))
