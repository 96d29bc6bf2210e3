"""Each test has a site of its own, which is read without a wait."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import pytest

from selfrag_cli.local.sources.place import Place, place_to_read
from selfrag_cli.local.sources.report import IngestionPlan, IngestionReport
from selfrag_cli.local.sources.site.notes import SiteLimits
from selfrag_cli.local.sources.site.walk import site_comparison
from selfrag_cli.local.sources.sync import plan, sync
from tests.support.doubles.web_site import WebSite
from tests.support.fakes import FakeEmbedder
from tests.support.loopback import Loopback


@dataclass
class Read:
    """A site as a collection, and the waits that reading it took last, in seconds."""

    served: WebSite
    url: str
    waits: list[float] = field(default_factory=list)
    embedder: FakeEmbedder = field(default_factory=FakeEmbedder)

    @property
    def place(self) -> Place:
        return place_to_read(f"{self.url}/", "site")

    def ingest(self, place: Place | None = None, **limits: int) -> IngestionReport:
        self.waits.clear()
        return sync(place or self.place, embedder=self.embedder, compare_with=self._comparison(limits))

    def plan(self) -> IngestionPlan:
        return plan(self.place, self.embedder, self._comparison({}))

    def _comparison(self, limits: dict[str, int]) -> Any:
        return site_comparison(SiteLimits(**limits), lambda reading: None, wait=self.waits.append)


Serve = Callable[[WebSite], Read]


@pytest.fixture
def serve() -> Iterator[Serve]:
    with ExitStack() as stack:
        yield lambda served: Read(served, stack.enter_context(Loopback(served)).url)
