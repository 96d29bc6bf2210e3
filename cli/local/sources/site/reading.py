"""A site beside the manifest, as a directory is compared with it."""

import time
from collections.abc import Callable
from functools import partial

from cli.local.sources.comparison import Comparison, is_settled, records_by_path
from cli.local.sources.place import Place
from cli.local.sources.site.addresses import host_in
from cli.local.sources.site.fetching import Fetcher
from cli.local.sources.site.networks import Network, literal_address
from cli.local.sources.site.notes import Limits
from cli.local.sources.site.outcomes import Known, Outcomes
from cli.local.sources.site.visits import keep, visits_of
from cli.local.sources.site.walk import Walk
from cli.local.sources.sync import Compare, OnDocument, Progress
from cli.local.stores.manifest import LocalManifest


def site_comparison(
    limits: Limits,
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
        host = host_in(place.site)
        with Fetcher(network(host if private or literal_address(host) else ""), wait) as fetcher:
            return _compared(place, manifest, made_by, limits, on_document, fetcher)

    return compare


def _compared(
    place: Place, manifest: LocalManifest, made_by: str, limits: Limits, on_document: OnDocument, fetcher: Fetcher
) -> Comparison:
    before = records_by_path(place, manifest)

    def settled(name: str, digest: str) -> bool:
        return is_settled(before.get(name), digest, made_by)

    def on_address(address: str, asked: int, met: int) -> None:
        on_document(Progress(asked, met, f"fetching {address}"))

    outcomes = Outcomes(Known(visits_of(place.collection), frozenset(before), settled))
    Walk(fetcher, limits, outcomes, on_address).begin(place.site)
    pages = outcomes.pages
    pages.notes = list(outcomes.notes.sentences(limits, fetcher.delay, fetcher.waited))
    pages.summary = outcomes.notes.summary(fetcher.bytes)
    todo = [name for name, digest in pages.digests().items() if not settled(name, digest)]
    gone = sorted(before.keys() - set(pages.paths))
    keeping = partial(keep, place.collection, outcomes.visits)
    return Comparison(before, pages, todo, gone, pages.unread | pages.kept, keeping)
