"""The robots.txt of hosts: which addresses programs may ask for, and how often (RFC 9309)."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from protego import Protego

from selfrag.domain.errors import InvalidInput, TemporarilyUnavailable
from selfrag_cli.local.sources.site.addresses import linked
from selfrag_cli.local.sources.site.fetching import AGENT, Fetcher
from selfrag_cli.local.sources.site.replies import PRIVATE, Reply

# As much as RFC 9309 has every reader take, and as many redirects.
_MAX_BYTES = 512_000
_MAX_REDIRECTS = 5
# A site that wants a longer pause between two requests is not read.
MAX_DELAY_SECONDS = 60.0


@dataclass(frozen=True)
class _Robots:
    """The rules of a host, None if it has none; `delay` is the pause between two requests in seconds."""

    rules: Protego | None = None
    delay: float = 0.0


class Rules:
    """The rules of each host, fetched with the first question about it; the longest delay becomes the fetcher's."""

    def __init__(self, fetcher: Fetcher) -> None:
        self._fetcher, self._known = fetcher, dict[str, _Robots]()

    def allow(self, address: str) -> bool:
        """Return whether an address may be asked for.

        Raises TemporarilyUnavailable if the rules cannot be had, InvalidInput if they ask for too long a delay.
        """
        parts = urlsplit(address)
        origin = f"{parts.scheme}://{parts.netloc}"
        if origin not in self._known:
            self._known[origin] = self._fetched(f"{origin}/robots.txt")
            self._fetcher.delay = max(self._fetcher.delay, self._known[origin].delay)
        rules = self._known[origin].rules
        return rules is None or bool(rules.can_fetch(address, AGENT))

    def _fetched(self, address: str) -> _Robots:
        reply = self._at_the_end(address)
        if reply.status == PRIVATE or (400 <= reply.status < 500 and reply.status != 429):
            return _Robots()
        if reply.why:
            raise TemporarilyUnavailable(f"{address} {reply.why}: it says what programs may read, so nothing was read.")
        rules = Protego.parse(reply.content[:_MAX_BYTES].decode("utf-8-sig", "replace"))
        delay = float(rules.crawl_delay(AGENT) or 0.0)
        if delay > MAX_DELAY_SECONDS:
            raise InvalidInput(f"{address} asks for {delay:g} s between two requests: too long to read a site.")
        return _Robots(rules, delay)

    def _at_the_end(self, address: str) -> Reply:
        """Return the reply at the end of redirects; one that leads nowhere counts as a file that is not there."""
        for _ in range(_MAX_REDIRECTS + 1):
            reply = self._fetcher.get(address, any_kind=True)
            if not reply.location:
                return reply
            target = linked(address, reply.location)
            if target is None:
                break
            address = target
        return Reply(404)
