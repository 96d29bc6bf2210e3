"""A walk through a site: from a page to those that it leads to, each address requested once.

The site is compared with the manifest as a directory is.
"""

import os
import tempfile
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import IO

from selfrag.domain.errors import BadDocument, InvalidInput, TemporarilyUnavailable
from selfrag.domain.fields import MAX_KEY_BYTES
from selfrag.domain.kinds import ending_of
from selfrag_cli.local.sources.comparison import Comparison, Files, digest_of, is_settled, records_by_path
from selfrag_cli.local.sources.place import Place
from selfrag_cli.local.sources.progress import OnDocument, Progress
from selfrag_cli.local.sources.site.addresses import host_in, linked, same_site
from selfrag_cli.local.sources.site.fetching import BUSY, MAX_REDIRECTS, PRIVATE, Fetcher, SiteReply, no_document
from selfrag_cli.local.sources.site.links import links_of
from selfrag_cli.local.sources.site.networks import Network, literal_address
from selfrag_cli.local.sources.site.notes import Notes, Reason, SiteLimits
from selfrag_cli.local.sources.site.visits import Visit, keep, visits_of
from selfrag_cli.local.sources.sync import Compare
from selfrag_cli.local.stores.manifest import LocalManifest

# A site that has sent nothing so many times in a row is left alone.
GIVE_UP_AFTER = 5
# A document's key is the address behind the name of a collection, perhaps with an ending.
_MAX_BYTES = MAX_KEY_BYTES - 80
_GONE, _NOT_MODIFIED = (404, 410), 304


def site_comparison(
    limits: SiteLimits,
    on_document: OnDocument,
    private: bool = False,
    network: Callable[[str], Network] = Network,
    wait: Callable[[float], None] = time.sleep,
) -> Compare:
    """Return what compares the site of a place with the manifest: it walks through the site.

    The site's host may be in a private network if `private` says so, or if it is written as an address or as localhost.
    Raises InvalidInput if the place's address is no page that may be read, TemporarilyUnavailable if the site cannot be
    reached.
    """

    def compare(place: Place, manifest: LocalManifest, made_by: str) -> Comparison:
        before = records_by_path(place, manifest)

        def settled(name: str, digest: str) -> bool:
            return is_settled(before.get(name), digest, made_by)

        host = host_in(place.site)
        with Fetcher(network(host if private or literal_address(host) else ""), wait) as fetcher:
            earlier = EarlierVisits(visits_of(place.collection), frozenset(before), settled)
            walk = Walk(fetcher, limits, earlier, on_document)
            walk.begin(place.site)
            pages = walk.pages
            pages.notes = list(walk.notes.sentences(limits, fetcher.delay, fetcher.waited))
            pages.summary = walk.notes.summary(fetcher.bytes)
        todo = [name for name, page in pages.held.items() if not settled(name, page.digest)]
        gone = sorted(before.keys() - set(pages.paths))
        digests = {page.digest for page in pages.held.values()}
        remember = partial(keep, place.collection, walk.visits)
        return Comparison(before, pages, todo, gone, pages.unread | pages.stale, digests, keep=remember)

    return compare


def name_of(address: str, ending: str) -> str:
    """Return the name of the document at an address: the address itself if it shows the kind.

    Else the ending of the kind stands behind it as a fragment, so that the name still leads to the page.
    """
    tells = ending_of(f"site/{address}")
    return address if tells == ending or {tells, ending} <= {".htm", ".html"} else f"{address}#{ending}"


@dataclass(frozen=True)
class SitePage:
    """A document that was sent: where its bytes are in the file, their digest, and the day when it was changed."""

    start: int
    size: int
    digest: str
    day: str


@dataclass
class SitePages(Files):
    """The documents of a site by their names, whose contents wait in a file without a name.

    `stale` says why documents of an earlier walk could not be read now.
    """

    stale: dict[str, str] = field(default_factory=dict)
    held: dict[str, SitePage] = field(default_factory=dict)
    _file: IO[bytes] = field(default_factory=tempfile.TemporaryFile)

    def add(self, name: str, reply: SiteReply) -> None:
        """Add a document as it is now."""
        self.paths.append(name)
        start = self._file.seek(0, os.SEEK_END)
        self.held[name] = SitePage(start, len(reply.content), digest_of(reply.content), reply.day)
        self._file.write(reply.content)
        self._file.flush()

    def content(self, path: str) -> bytes:
        """Return the bytes of a document."""
        if path not in self.held:
            raise BadDocument(f"{path} was not read anew.")
        # Several threads read at once.
        return os.pread(self._file.fileno(), self.held[path].size, self.held[path].start)

    def metadata(self, path: str) -> Mapping[str, str]:
        """Return when a document was changed."""
        return {"modified": self.held[path].day} if path in self.held else {}


@dataclass(frozen=True)
class EarlierVisits:
    """The state after an earlier walk: the visit of each address, and the names of the documents.

    `settled` says whether the document of a name was made of the content of a digest.
    """

    visits: Mapping[str, Visit]
    names: frozenset[str]
    settled: Callable[[str, str], bool]


class Walk:
    """A walk within these bounds; fills `pages` with documents, `notes` with all else, `visits` for the next walk.

    Any fault before the first page is read is an error.
    """

    def __init__(self, fetcher: Fetcher, limits: SiteLimits, earlier: EarlierVisits, on_document: OnDocument) -> None:
        self._fetcher, self._limits, self._earlier, self._on_document = fetcher, limits, earlier, on_document
        self.pages, self.notes, self.visits = SitePages(), Notes(), dict[str, Visit]()
        self._site, self._met, self._begun = "", set[str](), False
        self._digests = dict[str, str]()
        self._failures = 0

    def begin(self, start: str) -> None:
        """Walk from an address to the end.

        Raises InvalidInput if it is no page that may be read, TemporarilyUnavailable if the site cannot be reached.
        """
        self._site, queue = start, deque([(start, 0)])
        self._met.add(start)
        while queue:
            address, depth = queue.popleft()
            requested = self.notes.requested
            if requested >= self._limits.pages or self._fetcher.bytes >= self._limits.megabytes * 1_000_000:
                self._note(Reason.LEFT, address)
                continue
            self._on_document(Progress(requested, requested + 1 + len(queue), f"fetching {address}"))
            links = self._links_from(address)
            self._begun = True
            queue.extend((link, depth + 1) for link in links if self._is_next(link, depth))

    def _note(self, reason: Reason, address: str) -> None:
        self.notes.addresses[reason].append(address)

    def _is_next(self, link: str, depth: int) -> bool:
        """Return whether a link is to be requested, and note it if not."""
        if link in self._met or not same_site(link, self._site):
            return False
        self._met.add(link)
        if depth == self._limits.depth:
            self._note(Reason.DEEPER, link)
        elif ending := no_document(link):
            self.pages.others[ending] += 1
        else:
            return True
        return False

    def _links_from(self, address: str) -> Sequence[str]:
        """Request an address and follow where it leads; return the links of the page that is there."""
        if not self._may_get(address):
            return ()
        self.notes.requested += 1
        chain = [address]
        while (reply := self._fetcher.get(chain[-1], self._to_compare(chain[-1]))).location:
            target = linked(chain[-1], reply.location)
            if target is None or target in chain:
                way = " to ".join([*chain, target or reply.location])
                return self._unread(address, f"leads {'in a circle' if target else 'nowhere'}: {way}")
            if len(chain) > MAX_REDIRECTS:
                return self._unread(address, f"leads on more than {MAX_REDIRECTS} times, at last to {target}")
            self.notes.redirects += 1
            if not self._stays(address, target) or target in self._met or not self._may_get(target):
                return ()
            self._met.add(target)
            chain.append(target)
        if reply.status == PRIVATE and len(chain) > 1:
            return self._unread(address, f"leads to {chain[-1]}, which {reply.why}")
        return self._take(chain[-1], reply)

    def _may_get(self, address: str) -> bool:
        if not self._fetcher.may_get(address):
            if not self._begun:
                raise InvalidInput(f"{address} is not for programs: the robots.txt of its site forbids it.")
            self._note(Reason.FORBIDDEN, address)
            return False
        if len(address.encode()) > _MAX_BYTES:
            self._unread(address, f"is longer than {_MAX_BYTES} bytes")
            return False
        return True

    def _stays(self, address: str, target: str) -> bool:
        """Return whether a redirect leads to a page of the site; the first page may say that the site is elsewhere."""
        if same_site(target, self._site):
            return True
        if self._begun:
            self._note(Reason.ELSEWHERE, address)
            return False
        self.notes.moved, self._site = f"{address} leads to {target}, whose site was read.", target
        return True

    def _to_compare(self, address: str) -> Visit | None:
        """Return the last visit of an address, if the page need not be sent again when it has not changed since."""
        visit = self._earlier.visits.get(address)
        if visit is None or visit.why or not visit.ending or visit.digest in self._digests:
            return visit
        return visit if self._earlier.settled(name_of(address, visit.ending), visit.digest) else None

    def _take(self, address: str, reply: SiteReply) -> Sequence[str]:
        """Take in what an address has sent; return the links of it."""
        before = self._earlier.visits.get(address)
        if reply.status in _GONE:
            return self._take_out(address, reply)
        if reply.status == _NOT_MODIFIED and before:
            visit = before
            self.notes.unchanged += 1
        elif not reply.ok:
            return self._unread(address, reply.why, reply.status in BUSY)
        else:
            visit = _visit(address, reply)
            self.notes.read += bool(visit.digest)
        self._failures, self.visits[address] = 0, visit
        if visit.why:
            return self._unread(address, visit.why)
        if visit.ending:
            self._add(address, visit, reply)
        elif self._begun:
            self.pages.others[visit.other] += 1
        else:
            raise InvalidInput(f"{address} is of no kind that is read ({visit.other or 'without an ending'}).")
        return visit.links

    def _add(self, address: str, visit: Visit, reply: SiteReply) -> None:
        name = name_of(address, visit.ending)
        if visit.digest in self._digests:
            self._note(Reason.COPY, f"{address} ({self._digests[visit.digest]})")
            return
        self._digests[visit.digest] = name
        if reply.status == _NOT_MODIFIED:
            self.pages.paths.append(name)
        else:
            self.pages.add(name, reply)

    def _take_out(self, address: str, reply: SiteReply) -> Sequence[str]:
        if not self._begun:
            raise InvalidInput(f"{address} is not there (status {reply.status}).")
        before = self._earlier.visits.get(address)
        was_read = before is not None and name_of(address, before.ending) in self._earlier.names
        self._note(Reason.GONE if was_read else Reason.DEAD, f"{address} ({reply.status})")
        return ()

    def _unread(self, address: str, why: str, busy: bool = False) -> Sequence[str]:
        """Note why an address was not read; its document of an earlier walk stays, and its links are returned."""
        self._failures += busy
        if busy and (not self._begun or self._failures >= GIVE_UP_AFTER):
            others = f", and {self._failures - 1} addresses before it" if self._begun else ""
            raise TemporarilyUnavailable(f"{address} {why}{others}: nothing was changed; try again later.")
        if not self._begun:
            raise InvalidInput(f"{address} {why}.")
        before = self._earlier.visits.get(address)
        name = name_of(address, before.ending) if before else ""
        if before is None or name not in self._earlier.names:
            self.pages.unread[address] = f"{address} {why}."
            return ()
        self.visits.setdefault(address, before)
        self.pages.paths.append(name)
        self.pages.stale[name] = f"{address} {why}; what was read of it before is kept."
        return before.links


def _visit(address: str, reply: SiteReply) -> Visit:
    """Return what the next walk needs of a page that was sent."""
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
