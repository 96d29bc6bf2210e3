"""A real OpenSearch, or a real collection, in the place of the double: SELFRAG_TEST_OPENSEARCH names its address.

On a collection of OpenSearch Serverless (its host ends in aoss.amazonaws.com) requests are signed with the credentials
of the environment; any other OpenSearch needs the k-NN plugin and no login. Each test creates and deletes its own
index. SELFRAG_TEST_ENGINE names the vector engine for servers without Faiss.
"""

import json
import os
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import urlsplit

from opensearchpy import OpenSearch
from opensearchpy.exceptions import NotFoundError

from selfrag.adapters.opensearch.collection import connect
from selfrag.adapters.opensearch.search import OpenSearchPassages
from selfrag.ports.index import IndexEntry, WriteOutcome

ADDRESS = os.environ.get("SELFRAG_TEST_OPENSEARCH", "").rstrip("/")
_HOST = urlsplit(ADDRESS).hostname or ""
SERVERLESS = _HOST.endswith(".aoss.amazonaws.com")
# ID.REGION.aoss.amazonaws.com
_REGION = _HOST.split(".")[1] if SERVERLESS else None
ENGINE = os.environ.get("SELFRAG_TEST_ENGINE", "faiss")
# A vector collection shows a write after about a minute; AWS says no figure.
PATIENCE_SECONDS = 180


class Settled(OpenSearchPassages):
    """The adapter, but writes are visible when they return."""

    def __init__(self, client: OpenSearch, index: str, dimensions: int) -> None:
        super().__init__(client, index, dimensions)
        self._written: dict[str, tuple[str, str]] = {}

    def add(self, entries: Sequence[IndexEntry]) -> WriteOutcome:
        added = super().add(entries)
        place = {entry.passage.passage_id: entry.passage.collection for entry in entries}
        written = {service_id: (passage_id, place[passage_id]) for passage_id, service_id in added.ids.items()}
        self._written.update(written)
        self._until(lambda: all(self._is_there(service_id) for service_id in written))
        return added

    def delete(self, ids: Iterable[str]) -> None:
        gone = list(ids)
        super().delete(gone)
        self._until(lambda: not any(self._is_there(each) for each in gone if each in self._written))

    def _is_there(self, service_id: str) -> bool:
        passage_id, collection = self._written[service_id]
        return service_id in self.service_ids([passage_id], [collection]).get(passage_id, [])

    def _until(self, settled: Callable[[], bool]) -> None:
        for _ in range(PATIENCE_SECONDS):
            self._refresh()
            if settled():
                return
            threading.Event().wait(1)
        raise AssertionError(f"a write did not come into view within {PATIENCE_SECONDS} s")

    def _refresh(self) -> None:
        """An OpenSearch shows its writes at once when it is asked to; a collection knows no such request."""
        if not SERVERLESS:
            with suppress(NotFoundError):
                self._client.indices.refresh(index=self._index)


@contextmanager
def index_of_its_own(dimensions: int) -> Iterator[tuple[Settled, list[tuple[str, str]]]]:
    """Yield an index, and the requests that are made, in which it is called `passages`."""
    name = f"selfrag-contract-{uuid.uuid4().hex[:12]}"
    client, requests = connect(ADDRESS, _REGION, 60), list[tuple[str, str]]()
    send = client.transport.perform_request

    def perform_request(method: str, url: str, *arguments: Any, body: Any = None, **named: Any) -> Any:
        requests.append((method, url.replace(f"/{name}", "/passages")))
        if method == "PUT" and isinstance(body, dict) and ENGINE != "faiss":
            body = json.loads(json.dumps(body).replace('"engine": "faiss"', f'"engine": "{ENGINE}"'))
        return send(method, url, *arguments, body=body, **named)

    client.transport.perform_request = perform_request
    try:
        yield Settled(client, name, dimensions), requests
    finally:
        client.indices.delete(index=name, ignore=404)
