"""The outcome of each address of a site: a document as it is now or was before, or the reason why it is none."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from selfrag.domain.errors import InvalidInput, TemporarilyUnavailable
from selfrag_cli.local.sources.comparison import digest_of
from selfrag_cli.local.sources.site.fetching import BUSY
from selfrag_cli.local.sources.site.links import links_of
from selfrag_cli.local.sources.site.notes import Notes
from selfrag_cli.local.sources.site.pages import Pages, name_of
from selfrag_cli.local.sources.site.replies import Reply
from selfrag_cli.local.sources.site.visits import Visit

# A site that has sent nothing so many times in a row is left alone.
GIVE_UP_AFTER = 5
_GONE = (404, 410)
_NOT_MODIFIED = 304


@dataclass(frozen=True)
class Known:
    """The state after an earlier walk: the visit of each address, and the names of the documents.

    `settled` says whether the document of a name was made of the content of a digest.
    """

    visits: Mapping[str, Visit]
    names: frozenset[str]
    settled: Callable[[str, str], bool]


class Outcomes:
    """Fills `pages` with documents, `notes` with what else is to be told, and `visits` with what is to be remembered.

    `begun` is set when the first page is read: before that, whatever is amiss is an error.
    """

    def __init__(self, known: Known) -> None:
        self._known = known
        self.pages, self.notes, self.visits, self.begun = Pages(), Notes(), dict[str, Visit](), False
        self._digests: dict[str, str] = {}
        self._failures = 0

    def to_compare(self, address: str) -> Visit | None:
        """Return the last visit of an address, if the page need not be sent again when it has not changed since."""
        visit = self._known.visits.get(address)
        if visit is None or visit.why or not visit.ending or visit.digest in self._digests:
            return visit
        return visit if self._known.settled(name_of(address, visit.ending), visit.digest) else None

    def take(self, address: str, reply: Reply) -> Sequence[str]:
        """Take in what an address has sent; return the links of it.

        Raises InvalidInput if it is the first page and no document, TemporarilyUnavailable if too little was sent.
        """
        before = self._known.visits.get(address)
        if reply.status in _GONE:
            return self._gone(address, reply)
        if reply.status == _NOT_MODIFIED and before:
            visit = before
            self.notes.unchanged += 1
        elif not reply.ok:
            return self.unread(address, reply.why, reply.status in BUSY)
        else:
            visit = _visit(address, reply)
            self.notes.read += bool(visit.digest)
        self._failures, self.visits[address] = 0, visit
        if visit.why:
            return self.unread(address, visit.why)
        if visit.ending:
            self._add(address, visit, reply)
        elif self.begun:
            self.pages.others[visit.other] += 1
        else:
            raise InvalidInput(f"{address} is of no kind that is read ({visit.other or 'without an ending'}).")
        return visit.links

    def unread(self, address: str, why: str, busy: bool = False) -> Sequence[str]:
        """Note why an address was not read; what was made of it before stays, and its links are returned."""
        self._failures += busy
        if busy and (not self.begun or self._failures >= GIVE_UP_AFTER):
            others = f", and {self._failures - 1} addresses before it" if self.begun else ""
            raise TemporarilyUnavailable(f"{address} {why}{others}: nothing was changed; try again later.")
        if not self.begun:
            raise InvalidInput(f"{address} {why}.")
        before = self._known.visits.get(address)
        name = name_of(address, before.ending) if before else ""
        if before is None or name not in self._known.names:
            self.pages.unread[address] = f"{address} {why}."
            return ()
        self.visits.setdefault(address, before)
        self.pages.paths.append(name)
        self.pages.kept[name] = f"{address} {why}; what was read of it before is kept."
        return before.links

    def _add(self, address: str, visit: Visit, reply: Reply) -> None:
        name = name_of(address, visit.ending)
        if visit.digest in self._digests:
            self.notes.copies.append(f"{address} ({self._digests[visit.digest]})")
            return
        self._digests[visit.digest] = name
        if reply.status == _NOT_MODIFIED:
            self.pages.paths.append(name)
        else:
            self.pages.add(name, reply.content, reply.day)

    def _gone(self, address: str, reply: Reply) -> Sequence[str]:
        if not self.begun:
            raise InvalidInput(f"{address} is not there (status {reply.status}).")
        before = self._known.visits.get(address)
        was_read = before is not None and name_of(address, before.ending) in self._known.names
        (self.notes.gone if was_read else self.notes.dead).append(f"{address} ({reply.status})")
        return ()


def _visit(address: str, reply: Reply) -> Visit:
    """Return what is to be remembered of a page that was sent."""
    has_links = reply.ending == ".html" and not reply.why
    return Visit(
        etag=reply.etag,
        modified=reply.modified,
        digest=digest_of(reply.content) if reply.ending and not reply.why else "",
        ending=reply.ending,
        other=reply.other,
        why=reply.why,
        links=links_of(address, reply.content) if has_links else [],
    )
