"""Each test has its own site, which a separate process crawls."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field

import pytest

from selfrag_cli.local.sources.report import IngestionReport
from selfrag_cli.local.sources.site import SiteLimits
from selfrag_cli.local.sources.source import DocumentSource, source_to_read
from tests.support.doubles.web_site import WebSite
from tests.support.fakes import FakeEmbedder
from tests.support.loopback import Loopback
from tests.support.reading import sync


@dataclass
class Read:
    """A site as a collection."""

    served: WebSite
    url: str
    embedder: FakeEmbedder = field(default_factory=FakeEmbedder)

    @property
    def source(self) -> DocumentSource:
        return source_to_read(f"{self.url}/", "site")

    def ingest(self, source: DocumentSource | None = None, **limits: int) -> IngestionReport:
        return sync(source or self.source, embedder=self.embedder, limits=SiteLimits(**limits))


Serve = Callable[[WebSite], Read]


@pytest.fixture
def serve() -> Iterator[Serve]:
    with ExitStack() as stack:
        yield lambda served: Read(served, stack.enter_context(Loopback(served)).url)
