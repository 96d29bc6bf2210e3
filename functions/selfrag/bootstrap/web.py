"""Components of the web search."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from selfrag.bootstrap import question_settings
from selfrag.bootstrap.shared import secrets
from selfrag.runtime.parts import part

if TYPE_CHECKING:
    from selfrag.ports.web import Domains, WebSearch


@part("web")
def web() -> "Callable[[float | None], WebSearch]":
    """Return a factory of the web search for a deadline."""
    from selfrag.adapters.outbound import http_client_for
    from selfrag.adapters.tavily import Tavily

    config = question_settings()
    # One client for all searches: loading its certificates takes as long as a short search.
    client = http_client_for(config.web_base_url)

    def build(deadline_ms: float | None) -> "WebSearch":
        key = secrets()(config.web_secret, "SELFRAG_WEB_SECRET")
        return Tavily(client, config.web_base_url, key, config.web_timeout_seconds, deadline_ms)

    return build


def web_domains() -> "Domains":
    """Return the domains allowed in web search results."""
    from selfrag.ports.web import Domains

    config = question_settings()
    return Domains(included=config.web_include_domains, excluded=config.web_exclude_domains)
