"""The collection: its client, the mapping of its index, the shapes of its replies, and its errors."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from botocore.session import get_session
from opensearchpy import OpenSearch, Urllib3AWSV4SignerAuth, Urllib3HttpConnection
from opensearchpy.exceptions import OpenSearchException
from pydantic import BaseModel, Field, RootModel, ValidationError

from selfrag.adapters.faults import aws_faults
from selfrag.domain.errors import (
    BadDocument,
    InvalidInput,
    Misconfigured,
    RequestRejected,
    SelfragError,
    TemporarilyUnavailable,
)
from selfrag.domain.passages import Passage

MAX_TERMS = 65_536  # in one filter
MAX_TERM_BYTES = 32_766  # of a value that is found whole
STORED = [name for name in Passage.model_fields if name not in ("score", "copies")]

Json = dict[str, Any]


def connect(endpoint: str, region: str | None, seconds: float) -> OpenSearch:
    """Return a client that signs its requests and never retries; raises Misconfigured without credentials or region."""
    with aws_faults("the collection"):
        session = get_session()
        credentials, place = session.get_credentials(), region or session.get_config_variable("region")
    if credentials is None or place is None:
        raise Misconfigured("the collection needs AWS credentials and a region: SELFRAG_COLLECTION_REGION")
    return OpenSearch(
        hosts=[endpoint],
        # Only this signer works with 3.2.0: the one for requests signs headers that the service never sees.
        http_auth=Urllib3AWSV4SignerAuth(credentials, place, "aoss"),
        connection_class=Urllib3HttpConnection,
        timeout=seconds,
        max_retries=0,
    )


def mapping(dimensions: int) -> Json:
    """Return the index's settings and fields."""
    keyword = {"type": "keyword"}
    # For display only, not searchable.
    shown = {"type": "keyword", "index": False, "doc_values": False}
    # On vectors of length 1 this is the cosine; Faiss knows no space of that name before OpenSearch 2.19.
    method = {"name": "hnsw", "engine": "faiss", "space_type": "innerproduct"}
    fields = {
        "passage_id": keyword,
        "document": keyword,
        "document_id": keyword,
        "collection": keyword,
        "position": {"type": "integer"},
        "title": {"type": "text", "index": False},
        "text": {"type": "text", "index": False},
        # Our own tokens of both, with spaces between them: the laptop searches the same.
        "words": {"type": "text", "analyzer": "whitespace"},
        "heading": keyword,
        "page": {"type": "integer"},
        "locator": shown,
        "rows": {"type": "object", "enabled": False},
        "tags": keyword,
        "date": {"type": "date"},
        "vector": {"type": "knn_vector", "dimension": dimensions, "method": method},
    }
    return {"settings": {"index": {"knn": True}}, "mappings": {"properties": fields}}


def check_length(vector: Sequence[float], dimensions: int) -> None:
    """Raise Misconfigured if the embedder's vector does not fit the index."""
    if len(vector) != dimensions:
        raise Misconfigured(f"the embedder gives {len(vector)} dimensions, the index holds {dimensions}")


def check_terms(passage: Passage) -> None:
    """Raise BadDocument if a value that is found whole is longer than the index takes."""
    found_whole = {
        "document name": [passage.document],
        "collection name": [passage.collection],
        "heading": [passage.heading],
        "tag": passage.tags,
    }
    for name, values in found_whole.items():
        # Half of a surrogate pair cannot be encoded: the service puts a "?" in its place.
        longest = max((len(value.encode(errors="replace")) for value in values), default=0)
        if longest > MAX_TERM_BYTES:
            problem = f"a {name} has {longest:,} bytes in UTF-8; the index takes {MAX_TERM_BYTES:,}"
            raise BadDocument(f"{passage.document[:200]}: {problem}")


def any_of(name: str, values: Sequence[str]) -> Json:
    """Return a filter for one of these values; raises InvalidInput for more than one filter takes."""
    if len(values) > MAX_TERMS:
        raise InvalidInput(f"a search names {len(values):,} values of {name}; the index takes {MAX_TERMS:,}")
    return {"terms": {name: list(values)}}


def lines(*parts: Json) -> str:
    """Return a body with one line of JSON for each part."""
    # ASCII only: its length is its bytes, and half of a surrogate pair cannot break the encoding.
    return "".join(json.dumps(part) + "\n" for part in parts)


@contextmanager
def index_faults() -> Iterator[None]:
    """Turn the client's errors in the block into selfrag's errors."""
    try:
        yield
    except OpenSearchException as error:
        # Not `from error`: the service's message may repeat the query or the passage.
        raise to_typed(error) from None


def to_typed(error: OpenSearchException) -> SelfragError:
    """Return selfrag's error for an error of the client."""
    status = getattr(error, "status_code", None)
    if isinstance(status, int):
        return refusal(status)
    return TemporarilyUnavailable("the passage index cannot be reached, or did not reply in time")


def was_refused(error: OpenSearchException) -> bool:
    """Return whether the service refused the request, so that it did nothing."""
    status = getattr(error, "status_code", None)
    return isinstance(status, int) and 400 <= status < 500


def refusal(status: int) -> SelfragError:
    """Return the error for this status of a reply."""
    if status in (401, 403):
        return Misconfigured(f"the passage index refused the credentials or the access: status {status}")
    # 404: an index can be used some seconds after it was created.
    if status in (404, 408, 409, 429) or status >= 500:
        return TemporarilyUnavailable(f"the passage index is busy or not ready: status {status}")
    return RequestRejected(f"the passage index refused the request: status {status}")


class Hit(BaseModel):
    """A passage as a search finds it."""

    id: str = Field(alias="_id")
    source: dict[str, Any] = Field(alias="_source")
    score: float | None = Field(default=None, alias="_score")
    sort: list[Any] = []


class _Hits(BaseModel):
    hits: list[Hit]
    total: Any = None


class _Shards(BaseModel):
    failed: int


class SearchReply(BaseModel):
    """The reply to one search; only an error has neither shards nor hits."""

    status: int = 200
    timed_out: bool = False
    shards: _Shards | None = Field(default=None, alias="_shards")
    hits: _Hits | None = None

    def complete(self) -> list[Hit]:
        """Return the hits; raises TemporarilyUnavailable if the search was not complete."""
        if self.shards is None or self.hits is None:
            raise _unreadable_error()
        if self.timed_out or self.shards.failed:
            raise TemporarilyUnavailable("the passage index searched only a part")
        return self.hits.hits

    def total(self) -> int | None:
        """Return the number of all matches, None if the reply does not say it exactly; 0 while there is no index."""
        if self.status == 404:
            return 0
        match self.hits.total if self.hits else None:
            case {"value": int(value), "relation": "eq"}:
                return value
        return None


class MultiSearchReply(BaseModel):
    """The reply to several searches at once."""

    responses: list[SearchReply]

    def complete_all(self, count: int) -> list[SearchReply]:
        """Return the replies to so many searches; raises TemporarilyUnavailable for another number."""
        if len(self.responses) != count:
            raise _unreadable_error()
        return self.responses


class ItemOutcome(BaseModel):
    """The status of one document's write, and the service's id of it: null if it failed before it had one."""

    id: str | None = Field(default=None, alias="_id")
    status: int


class _BulkItem(BaseModel):
    index: ItemOutcome


class BulkReply(BaseModel):
    """The reply to a bulk request: the outcome of each document, in their order."""

    items: list[_BulkItem]

    def outcomes(self, count: int) -> list[ItemOutcome]:
        """Return the outcomes of so many documents; raises TemporarilyUnavailable for another number."""
        if len(self.items) != count:
            raise _unreadable_error()
        return [item.index for item in self.items]


class _Mapping(BaseModel):
    mappings: dict[str, Any]


class Mappings(RootModel[dict[str, _Mapping]]):
    """The fields of an index, by its name."""


R = TypeVar("R", bound=BaseModel)


def read_reply(shape: type[R], reply: Any) -> R:
    """Return a reply in its shape; raises TemporarilyUnavailable for any other."""
    try:
        return shape.model_validate(reply)
    except ValidationError:
        raise _unreadable_error() from None


def _unreadable_error() -> SelfragError:
    return TemporarilyUnavailable("the passage index sent a reply that cannot be read")
