"""Writes to the collection, and deletions from it.

It takes no document ids of ours, no upserts and no refresh: the service names each document, and a write can be
searched after some time. The state machine waits, and retries after a wait.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from opensearchpy import OpenSearch
from opensearchpy.exceptions import OpenSearchException, RequestError

from selfrag.adapters.opensearch.collection import (
    STORED,
    index_faults,
    lines,
    mapping,
    refusal,
    typed,
    was_refused,
)
from selfrag.adapters.opensearch.replies import Mappings, Outcome, Written, read_reply
from selfrag.domain.errors import SelfragError, TemporarilyUnavailable
from selfrag.ports.index import Entry, WriteOutcome

WRITE_ATTEMPTS = 5
BATCH_BYTES = 5_000_000  # the service takes 10 MiB a request


def create_if_missing(client: OpenSearch, index: str, dimensions: int) -> bool:
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


def add_missing_fields(client: OpenSearch, index: str, dimensions: int) -> None:
    """Add the fields that an earlier release's index lacks; else the service guesses their types."""
    wanted = mapping(dimensions)["mappings"]["properties"]
    with index_faults():
        reply = client.indices.get_mapping(index=index)
        # The reply has the index's own name, which differs from ours if that is an alias.
        there = next(iter(read_reply(Mappings, reply).root.values())).mappings.properties
        missing = {name: field for name, field in wanted.items() if name not in there}
        if missing:
            client.indices.put_mapping(index=index, body={"properties": missing})


def add(client: OpenSearch, index: str, entries: Sequence[Entry]) -> WriteOutcome:
    """Write passages, each once; items that the service was too busy for are retried, alone.

    Raises if nothing was written and nothing may have been; else the result has the outcome of each.
    """
    added, documents = WriteOutcome(), {entry.passage.passage_id: _document(entry) for entry in entries}
    try:
        for batch in _batches(documents):
            _write(client, index, batch, added)
    except SelfragError as error:
        if not added.ids and not added.unknown:
            raise
        unsent = documents.keys() - added.ids.keys() - added.failed.keys() - added.unknown
        added.failed.update(dict.fromkeys(unsent, type(error).__name__))
    return added


def delete(client: OpenSearch, index: str, ids: Iterable[str]) -> None:
    """Delete documents by the service's ids; one that is gone already is no error."""
    with index_faults():
        for service_id in ids:
            client.delete(index=index, id=service_id, ignore=404)


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


def _outcomes(client: OpenSearch, index: str, pending: Mapping[str, str], added: WriteOutcome) -> dict[str, Outcome]:
    """Return the outcome of each document; if there is no usable reply, record them as unknown and raise."""
    try:
        reply = client.bulk(index=index, body="".join(pending.values()))
    except OpenSearchException as error:
        if not was_refused(error):
            added.unknown.update(pending)
        raise typed(error) from None
    try:
        return dict(zip(pending, read_reply(Written, reply).outcomes(len(pending)), strict=True))
    except TemporarilyUnavailable:
        added.unknown.update(pending)
        raise


def _document(entry: Entry) -> str:
    fields = entry.passage.model_dump(include=set(STORED), exclude_none=True)
    # Without an `_id`: the service assigns one, and refuses ours.
    return lines({"index": {}}, {**fields, "position": entry.position, "vector": list(entry.vector)})


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
