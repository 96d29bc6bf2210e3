"""Searching the collection, and the PassageIndex that the steps and the ingestion use."""

from collections.abc import Iterable, Sequence
from functools import cache

from opensearchpy import OpenSearch
from opensearchpy.exceptions import NotFoundError

from selfrag.errors import TemporarilyUnavailable
from selfrag.models import Passage
from selfrag.opensearch import writing
from selfrag.opensearch.collection import (
    STORED,
    Json,
    check_length,
    connect,
    lines,
    read_settings,
    refusal,
    typed_errors,
)
from selfrag.passages import Added, Candidates, Entry

WINDOW = 10_000  # the most hits that one search may ask for
# More than 1,024 clauses are refused, and each Chinese or Japanese character makes one in each field.
TEXT_CHARACTERS = 250
TEXT_FIELDS = ["title", "title.english", "text", "text.english"]


@cache
def open_passages() -> "OpenSearchPassages":
    """The index that the settings name; raises Misconfigured when they, or the credentials, are missing."""
    config = read_settings()
    return OpenSearchPassages(connect(config), config.index_name, config.vector_dimensions)


class OpenSearchPassages:
    """A PassageIndex over one index of a collection, with what ingestion needs beside it."""

    def __init__(self, client: OpenSearch, index: str, dimensions: int) -> None:
        self._client, self._index, self._dimensions = client, index, dimensions

    def search(
        self,
        text: str,
        vector: Sequence[float],
        size: int,
        collections: Sequence[str],
        documents: Sequence[str] | None = None,
    ) -> Candidates:
        """The best passages by full text and by vector, with the service's scores; none while the index is missing."""
        check_length(vector, self._dimensions)
        body = _both_searches(text, vector, size, _within(collections, documents))
        with typed_errors():
            try:
                text_reply, vector_reply = self._client.msearch(index=self._index, body=body)["responses"]
            except NotFoundError:
                return Candidates([], [])
            return Candidates(by_text=_scored(_hits(text_reply)), by_vector=_scored(_hits(vector_reply)))

    def fetch(
        self, passage_ids: Sequence[str], collections: Sequence[str], documents: Sequence[str] | None = None
    ) -> list[Passage]:
        """The passages with these ids, in their order; ids that are gone, or of elsewhere, are left out."""
        only = _within(collections, documents)
        with typed_errors():
            found = {passage.passage_id: passage for passage, _ in _scored(self._named(passage_ids, only))}
        return [found[passage_id] for passage_id in passage_ids if passage_id in found]

    def service_ids(self, passage_ids: Sequence[str], collections: Sequence[str]) -> dict[str, list[str]]:
        """The service's ids of these passages, as far as they can be searched yet; of two, one is too many."""
        ids: dict[str, list[str]] = {}
        with typed_errors():
            for hit in self._named(passage_ids, _within(collections, None)):
                ids.setdefault(hit["_source"]["passage_id"], []).append(hit["_id"])
        return ids

    def add(self, entries: Sequence[Entry]) -> Added:
        """Write passages, each once; the items that the service was too busy for are sent again, alone.

        Raises when nothing was written and nothing may have been; else the result says what became of each.
        """
        return writing.add(self._client, self._index, self._dimensions, entries)

    def delete(self, ids: Iterable[str]) -> None:
        """Delete documents by the service's ids; one that is gone already is no error."""
        writing.delete(self._client, self._index, ids)

    def _named(self, passage_ids: Sequence[str], only: Sequence[Json]) -> list[Json]:
        wanted = {"bool": {"filter": [_any_of("passage_id", passage_ids), *only]}}
        body = {"size": WINDOW, "_source": STORED, "query": wanted}
        try:
            return _hits(self._client.search(index=self._index, body=body))
        except NotFoundError:
            return []


def _both_searches(text: str, vector: Sequence[float], size: int, only: Sequence[Json]) -> str:
    words = {"query": text[:TEXT_CHARACTERS], "fields": TEXT_FIELDS, "type": "most_fields"}
    by_text = {"bool": {"must": [{"multi_match": words}], "filter": only}}
    by_vector = {"knn": {"vector": {"vector": list(vector), "k": size, "filter": {"bool": {"filter": only}}}}}
    shape = {"size": size, "_source": STORED}
    return lines({}, {**shape, "query": by_text}, {}, {**shape, "query": by_vector})


def _within(collections: Sequence[str], documents: Sequence[str] | None) -> list[Json]:
    """The filters of a caller's collections, and of documents in them."""
    only = [_any_of("collection", collections)]
    return only if documents is None else [*only, _any_of("document", documents)]


def _any_of(name: str, values: Sequence[str]) -> Json:
    return {"terms": {name: list(values)}}


def _hits(reply: Json) -> list[Json]:
    status = reply.get("status", 200)
    if status == 404:  # the index does not exist yet
        return []
    if status != 200:
        raise refusal(status)
    if reply["timed_out"] or reply["_shards"]["failed"]:
        raise TemporarilyUnavailable("the passage index searched only a part")
    hits: list[Json] = reply["hits"]["hits"]
    return hits


def _scored(hits: Sequence[Json]) -> list[tuple[Passage, float]]:
    best: dict[str, tuple[Passage, float]] = {}
    for hit in hits:
        passage = Passage.model_validate(hit["_source"])
        best.setdefault(passage.passage_id, (passage, float(hit["_score"])))
    return list(best.values())
