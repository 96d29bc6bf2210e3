"""The passages in the collection: searches, writes and deletions.

It takes no document ids of ours, no upserts and no refresh: the service names each document, and a write can be
searched after some time. The state machine waits, and retries after a wait.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from opensearchpy import OpenSearch
from opensearchpy.exceptions import NotFoundError, OpenSearchException, RequestError

from selfrag.adapters.faults import unreadable_faults
from selfrag.adapters.opensearch.collection import (
    STORED,
    BulkReply,
    Hit,
    ItemOutcome,
    Json,
    Mappings,
    MultiSearchReply,
    SearchReply,
    any_of,
    check_length,
    check_terms,
    index_faults,
    lines,
    mapping,
    read_reply,
    refusal,
    to_typed,
    was_refused,
)
from selfrag.domain.errors import SelfragError, TemporarilyUnavailable
from selfrag.domain.passages import Bounds, Candidates, Passage
from selfrag.ports.index import IndexEntry, WriteOutcome
from selfrag.retrieval.passage_tokens import passage_tokens
from selfrag.text.file_names import find_names
from selfrag.text.search_tokens import tokens

WINDOW = 10_000  # the most hits that one search may ask for
MAX_QUERY_TOKENS = 800  # more than 1,024 clauses are refused, and filters have some, too
WRITE_ATTEMPTS = 5
BATCH_BYTES = 5_000_000  # the service takes 10 MiB a request


class OpenSearchPassages:
    """A PassageIndex and PassageWriter over one index of a collection."""

    def __init__(self, client: OpenSearch, index: str, dimensions: int) -> None:
        self._client, self._index, self._dimensions = client, index, dimensions
        self._has_all_fields = False

    def search(self, text: str, vector: Sequence[float] | None, size: int, bounds: Bounds) -> Candidates:
        """Return the best passages by text and by vector, with scores; none while there is no index.

        Without a vector, full text alone is searched.
        """
        only = _bound_filters(bounds)
        if bounds.without:
            only.append({"bool": {"must_not": [any_of("passage_id", bounds.without)]}})
        # Without this a count of more than 10,000 is cut off.
        queries: list[Json] = [{"query": _text_query(text, only), "track_total_hits": True}]
        if vector is not None:
            check_length(vector, self._dimensions)
            nearest = {"vector": list(vector), "k": size, "filter": {"bool": {"filter": only}}}
            queries.append({"query": {"knn": {"vector": nearest}}})
        shape = {"size": size, "_source": STORED}
        body = lines(*(line for query in queries for line in ({}, {**shape, **query})))
        with index_faults():
            try:
                reply = self._client.msearch(index=self._index, body=body)
            except NotFoundError:
                return Candidates([], [], text_hits=0)
        replies = read_reply(MultiSearchReply, reply).complete_all(len(queries))
        by_text, by_vector = [_hits(search) for search in (*replies, SearchReply(status=404))[:2]]
        return Candidates(
            _score_hits(by_text),
            _score_hits(by_vector),
            len(by_text) >= size,
            len(by_vector) >= size,
            replies[0].total(),
        )

    def fetch(self, passage_ids: Sequence[str], bounds: Bounds) -> list[Passage]:
        """Return the passages with these ids, in their order, without those gone or out of bounds."""
        passages = {passage.passage_id: passage for passage, _ in _score_hits(self._fetch(passage_ids, bounds))}
        return [passages[passage_id] for passage_id in passage_ids if passage_id in passages]

    def service_ids(self, passage_ids: Sequence[str], collections: Sequence[str]) -> dict[str, list[str]]:
        """Return the service's ids of the passages that can be searched by now; two mean a duplicate."""
        ids: dict[str, list[str]] = {}
        for hit in self._fetch(passage_ids, Bounds(collections)):
            ids.setdefault(hit.source["passage_id"], []).append(hit.id)
        return ids

    def add(self, entries: Sequence[IndexEntry]) -> WriteOutcome:
        """Write passages, each once; items that the service was too busy for are retried, alone.

        Raises if nothing was written and nothing may have been; else the result has the outcome of each.
        """
        for entry in entries:
            check_length(entry.vector, self._dimensions)
            check_terms(entry.passage)
        created = _create_if_missing(self._client, self._index, self._dimensions)
        if not created and not self._has_all_fields:
            _add_missing_fields(self._client, self._index, self._dimensions)
        self._has_all_fields = True
        added, documents = WriteOutcome(), {entry.passage.passage_id: _document(entry) for entry in entries}
        try:
            for batch in _batches(documents):
                _write(self._client, self._index, batch, added)
        except SelfragError as error:
            if not added.ids and not added.unknown:
                raise
            unsent = documents.keys() - added.ids.keys() - added.failed.keys() - added.unknown
            added.failed.update(dict.fromkeys(unsent, type(error).__name__))
        return added

    def delete(self, ids: Iterable[str]) -> None:
        """Delete documents by the service's ids, ignoring missing ones."""
        with index_faults():
            for service_id in ids:
                self._client.delete(index=self._index, id=service_id, ignore=404)

    def _fetch(self, passage_ids: Sequence[str], bounds: Bounds) -> list[Hit]:
        query = {"bool": {"filter": [any_of("passage_id", passage_ids), *_bound_filters(bounds)]}}
        body = {"size": WINDOW, "_source": STORED, "query": query}
        with index_faults():
            try:
                reply = self._client.search(index=self._index, body=body)
            except NotFoundError:
                return []
        return _hits(read_reply(SearchReply, reply))


def _text_query(text: str, only: Sequence[Json]) -> Json:
    words = " ".join(tokens(text)[:MAX_QUERY_TOKENS])
    names = [{"wildcard": {"document": {"value": f"*{name}*", "case_insensitive": True}}} for name in find_names(text)]
    clauses: list[Json] = [{"match": {"words": words}}, *names]
    return {"bool": {"should": clauses, "minimum_should_match": 1, "filter": only}}


def _bound_filters(bounds: Bounds) -> list[Json]:
    """Return the filters that keep a search within its bounds."""
    only = [any_of("collection", bounds.collections)]
    if bounds.documents is not None:
        folders = [{"prefix": {"document": name}} for name in bounds.documents if name.endswith("/")]
        keys = any_of("document", [name for name in bounds.documents if not name.endswith("/")])
        only.append({"bool": {"should": [keys, *folders]}} if folders else keys)
    if bounds.tags is not None:
        only.append(any_of("tags", bounds.tags))
    if days := {name: day for name, day in (("gte", bounds.since), ("lte", bounds.until)) if day is not None}:
        only.append({"range": {"date": days}})
    return only


def _hits(reply: SearchReply) -> list[Hit]:
    if reply.status == 404:  # the index does not exist yet
        return []
    if reply.status != 200:
        raise refusal(reply.status)
    return reply.complete()


def _score_hits(hits: Sequence[Hit]) -> list[tuple[Passage, float]]:
    best: dict[str, tuple[Passage, float]] = {}
    for hit in hits:
        with unreadable_faults("the passage index"):
            passage = Passage.model_validate(hit.source)
        best.setdefault(passage.passage_id, (passage, hit.score or 0.0))
    return list(best.values())


def _create_if_missing(client: OpenSearch, index: str, dimensions: int) -> bool:
    """Create the index, in its present mapping, if it is missing; return whether this call did."""
    with index_faults():
        if client.indices.exists(index=index):
            return False
        try:
            client.indices.create(index=index, body=mapping(dimensions))
        except RequestError as error:
            # Two writers may both have missed it.
            if error.error != "resource_already_exists_exception":
                raise
            return False
    return True


def _add_missing_fields(client: OpenSearch, index: str, dimensions: int) -> None:
    """Add the fields that an earlier release's index lacks; else the service guesses their types."""
    fields = mapping(dimensions)["mappings"]["properties"]
    with index_faults():
        reply = client.indices.get_mapping(index=index)
        # The reply has the index's own name, which differs from ours if that is an alias.
        there = next(iter(read_reply(Mappings, reply).root.values())).mappings.get("properties", {})
        missing = {name: field for name, field in fields.items() if name not in there}
        if missing:
            client.indices.put_mapping(index=index, body={"properties": missing})


def _write(client: OpenSearch, index: str, pending: Mapping[str, str], added: WriteOutcome) -> None:
    for _ in range(WRITE_ATTEMPTS):
        outcomes = _outcomes(client, index, pending, added)
        added.ids.update({i: outcome.id or "" for i, outcome in outcomes.items() if outcome.status < 300})
        errors = {i: type(refusal(outcome.status)) for i, outcome in outcomes.items() if i not in added.ids}
        pending = {i: pending[i] for i, kind in errors.items() if kind is TemporarilyUnavailable}
        added.failed.update({i: kind.__name__ for i, kind in errors.items() if i not in pending})
        if not pending:
            return
    added.failed.update(dict.fromkeys(pending, TemporarilyUnavailable.__name__))


def _outcomes(
    client: OpenSearch, index: str, pending: Mapping[str, str], added: WriteOutcome
) -> dict[str, ItemOutcome]:
    """Return the outcome of each document; if there is no usable reply, record them as unknown and raise."""
    try:
        reply = client.bulk(index=index, body="".join(pending.values()))
        return dict(zip(pending, read_reply(BulkReply, reply).outcomes(len(pending)), strict=True))
    except OpenSearchException as error:
        if not was_refused(error):
            added.unknown.update(pending)
        raise to_typed(error) from None
    except TemporarilyUnavailable:
        added.unknown.update(pending)
        raise


def _document(entry: IndexEntry) -> str:
    fields = entry.passage.model_dump(include=set(STORED), exclude_none=True)
    # Without an `_id`: the service assigns one, and refuses ours.
    words = " ".join(passage_tokens(entry.passage))
    return lines({"index": {}}, {**fields, "words": words, "position": entry.position, "vector": list(entry.vector)})


def _batches(documents: Mapping[str, str]) -> Iterator[dict[str, str]]:
    batch: dict[str, str] = {}
    size = 0
    for passage_id, document in documents.items():
        if batch and size + len(document) > BATCH_BYTES:
            yield batch
            batch, size = {}, 0
        batch[passage_id] = document
        size += len(document)
    if batch:
        yield batch
