"""The walk through a site: from a page to those that it leads to, each address asked for once."""

from collections import deque
from collections.abc import Callable, Sequence

from selfrag.domain.errors import InvalidInput
from selfrag.domain.fields import MAX_KEY_BYTES
from selfrag_cli.local.sources.site.addresses import linked, same_site
from selfrag_cli.local.sources.site.fetching import Fetcher
from selfrag_cli.local.sources.site.notes import Limits
from selfrag_cli.local.sources.site.outcomes import Outcomes
from selfrag_cli.local.sources.site.replies import PRIVATE, no_document
from selfrag_cli.local.sources.site.robots import Rules

MAX_REDIRECTS = 5
# A document's key is the address behind the name of a collection, perhaps with an ending.
_MAX_BYTES = MAX_KEY_BYTES - 80

OnAddress = Callable[[str, int, int], None]


class Walk:
    """A walk within these bounds, which gives each reply to `outcomes`.

    `on_address` is called before each address, with how many were asked for and how many are known.
    """

    def __init__(self, fetcher: Fetcher, limits: Limits, outcomes: Outcomes, on_address: OnAddress) -> None:
        self._fetcher, self._limits, self._on_address = fetcher, limits, on_address
        self._outcomes, self._notes = outcomes, outcomes.notes
        self._rules, self._site, self._met = Rules(fetcher), "", set[str]()

    def begin(self, start: str) -> None:
        """Walk from an address to the end.

        Raises InvalidInput if it is no page that may be read, TemporarilyUnavailable if the site cannot be reached.
        """
        self._site, queue = start, deque([(start, 0)])
        self._met.add(start)
        while queue:
            address, depth = queue.popleft()
            if self._notes.asked >= self._limits.pages or self._fetcher.bytes >= self._limits.megabytes * 1_000_000:
                self._notes.left.append(address)
                continue
            self._on_address(address, self._notes.asked, self._notes.asked + 1 + len(queue))
            links = self._links_from(address)
            self._outcomes.begun = True
            queue.extend((link, depth + 1) for link in links if self._is_next(link, depth))

    def _is_next(self, link: str, depth: int) -> bool:
        """Return whether a link is to be asked for, and note it if not."""
        if link in self._met or not same_site(link, self._site):
            return False
        self._met.add(link)
        if depth == self._limits.depth:
            self._notes.deeper.append(link)
        elif ending := no_document(link):
            self._outcomes.pages.others[ending] += 1
        else:
            return True
        return False

    def _links_from(self, address: str) -> Sequence[str]:
        """Ask for an address and follow where it leads; return the links of the page that is there."""
        if not self._may_ask(address):
            return ()
        self._notes.asked += 1
        chain = [address]
        while (reply := self._fetcher.get(chain[-1], self._outcomes.to_compare(chain[-1]))).location:
            target = linked(chain[-1], reply.location)
            if target is None or target in chain:
                way = " to ".join([*chain, target or reply.location])
                return self._outcomes.unread(address, f"leads {'in a circle' if target else 'nowhere'}: {way}")
            if len(chain) > MAX_REDIRECTS:
                return self._outcomes.unread(address, f"leads on more than {MAX_REDIRECTS} times, at last to {target}")
            self._notes.redirects += 1
            if not self._stays(address, target) or target in self._met or not self._may_ask(target):
                return ()
            self._met.add(target)
            chain.append(target)
        if reply.status == PRIVATE and len(chain) > 1:
            return self._outcomes.unread(address, f"leads to {chain[-1]}, which {reply.why}")
        return self._outcomes.take(chain[-1], reply)

    def _may_ask(self, address: str) -> bool:
        if not self._rules.allow(address):
            if not self._outcomes.begun:
                raise InvalidInput(f"{address} is not for programs: the robots.txt of its site forbids it.")
            self._notes.forbidden.append(address)
            return False
        if len(address.encode()) > _MAX_BYTES:
            self._outcomes.unread(address, f"is longer than {_MAX_BYTES} bytes")
            return False
        return True

    def _stays(self, address: str, target: str) -> bool:
        """Return whether a redirect leads to a page of the site; the first page may say that the site is elsewhere."""
        if same_site(target, self._site):
            return True
        if self._outcomes.begun:
            self._notes.elsewhere.append(address)
            return False
        self._notes.moved, self._site = f"{address} leads to {target}, whose site was read.", target
        return True
