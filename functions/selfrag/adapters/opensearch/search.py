"""Search in the collection, and the PassageIndex of the steps and the ingestion."""

from collections.abc import Iterable, Sequence

from opensearchpy import OpenSearch
from opensearchpy.exceptions import NotFoundError

from selfrag.adapters.faults import readable
from selfrag.adapters.opensearch import writes
from selfrag.adapters.opensearch.collection import (
    STORED,
    Json,
    any_of,
    check_length,
    check_terms,
    index_faults,
    lines,
    refusal,
)
from selfrag.adapters.opensearch.replies import AllFound, Found, Hit, read_reply
from selfrag.domain.passages import Bounds, Candidates, Passage
from selfrag.ports.index import Entry, WriteOutcome

WINDOW = 10_000  # the most hits that one search may ask for
# More than 1,024 clauses are refused, and each Chinese or Japanese character makes one in each field.
TEXT_CHARACTERS = 250
TEXT_FIELDS = ["title", "title.english", "text", "text.english"]


class OpenSearchPassages:
    """A PassageIndex and PassageWriter over one index of a collection."""

    def __init__(self, client: OpenSearch, index: str, dimensions: int) -> None:
        self._client, self._index, self._dimensions = client, index, dimensions
        self._has_all_fields = False

    def search(self, text: str, vector: Sequence[float] | None, size: int, bounds: Bounds) -> Candidates:
        """Return the best passages by text and by vector, with scores; none while there is no index.

        Without a vector, full text alone is searched.
        """
        only = [*_within(bounds), *_unseen(bounds)]
        # Without this a count of more than 10,000 is cut off.
        queries: list[Json] = [{"query": _by_text(text, only), "track_total_hits": True}]
        if vector is not None:
            check_length(vector, self._dimensions)
            queries.append({"query": _by_vector(vector, size, only)})
        shape = {"size": size, "_source": STORED}
        body = lines(*(line for query in queries for line in ({}, {**shape, **query})))
        with index_faults():
            try:
                reply = self._client.msearch(index=self._index, body=body)
            except NotFoundError:
                return Candidates([], [], text_hits=0)
        replies = read_reply(AllFound, reply).of(len(queries))
        by_text, by_vector = [_hits(found) for found in (*replies, Found(status=404))[:2]]
        return Candidates(
            _scored(by_text), _scored(by_vector), len(by_text) >= size, len(by_vector) >= size, replies[0].total()
        )

    def fetch(self, passage_ids: Sequence[str], bounds: Bounds) -> list[Passage]:
        """Return the passages with these ids, in their order, without those gone or out of bounds."""
        found = {passage.passage_id: passage for passage, _ in _scored(self._named(passage_ids, bounds))}
        return [found[passage_id] for passage_id in passage_ids if passage_id in found]

    def service_ids(self, passage_ids: Sequence[str], collections: Sequence[str]) -> dict[str, list[str]]:
        """Return the service's ids of the passages that can be searched by now; two mean a duplicate."""
        ids: dict[str, list[str]] = {}
        for hit in self._named(passage_ids, Bounds(collections)):
            ids.setdefault(hit.source["passage_id"], []).append(hit.id)
        return ids

    def add(self, entries: Sequence[Entry]) -> WriteOutcome:
        """Write passages, each once; items that the service was too busy for are retried, alone.

        Raises if nothing was written and nothing may have been; else the result has the outcome of each.
        """
        for entry in entries:
            check_length(entry.vector, self._dimensions)
            check_terms(entry.passage)
        if writes.create_if_missing(self._client, self._index, self._dimensions):
            self._has_all_fields = True
        if not self._has_all_fields:
            writes.add_missing_fields(self._client, self._index, self._dimensions)
            self._has_all_fields = True
        return writes.add(self._client, self._index, entries)

    def delete(self, ids: Iterable[str]) -> None:
        """Delete documents by the service's ids; one that is gone already is no error."""
        writes.delete(self._client, self._index, ids)

    def _named(self, passage_ids: Sequence[str], bounds: Bounds) -> list[Hit]:
        wanted = {"bool": {"filter": [any_of("passage_id", passage_ids), *_within(bounds)]}}
        body = {"size": WINDOW, "_source": STORED, "query": wanted}
        with index_faults():
            try:
                reply = self._client.search(index=self._index, body=body)
            except NotFoundError:
                return []
        return _hits(read_reply(Found, reply))


def _by_text(text: str, only: Sequence[Json]) -> Json:
    words = {"query": text[:TEXT_CHARACTERS], "fields": TEXT_FIELDS, "type": "most_fields"}
    return {"bool": {"must": [{"multi_match": words}], "filter": only}}


def _by_vector(vector: Sequence[float], size: int, only: Sequence[Json]) -> Json:
    return {"knn": {"vector": {"vector": list(vector), "k": size, "filter": {"bool": {"filter": only}}}}}


def _within(bounds: Bounds) -> list[Json]:
    """Return the filters that keep a search within its bounds."""
    only = [any_of("collection", bounds.collections)]
    if bounds.documents is not None:
        only.append(any_of("document", bounds.documents))
    if bounds.tags is not None:
        only.append(any_of("tags", bounds.tags))
    if days := {name: day for name, day in (("gte", bounds.since), ("lte", bounds.until)) if day is not None}:
        only.append({"range": {"date": days}})
    return only


def _unseen(bounds: Bounds) -> list[Json]:
    return [{"bool": {"must_not": [any_of("passage_id", bounds.without)]}}] if bounds.without else []


def _hits(found: Found) -> list[Hit]:
    if found.status == 404:  # the index does not exist yet
        return []
    if found.status != 200:
        raise refusal(found.status)
    return found.complete()


def _scored(hits: Sequence[Hit]) -> list[tuple[Passage, float]]:
    best: dict[str, tuple[Passage, float]] = {}
    for hit in hits:
        with readable("the passage index"):
            passage = Passage.model_validate(hit.source)
        best.setdefault(passage.passage_id, (passage, hit.score or 0.0))
    return list(best.values())
