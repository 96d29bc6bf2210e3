"""The collection itself: its settings, its client, the shape of its index, and what its errors mean."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import boto3
from opensearchpy import OpenSearch, Urllib3AWSV4SignerAuth, Urllib3HttpConnection
from opensearchpy.exceptions import OpenSearchException
from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from selfrag.errors import Misconfigured, RequestRejected, SelfragError, TemporarilyUnavailable

STORED = ["passage_id", "document", "text", "title", "collection", "heading", "page", "tags", "date"]

Json = dict[str, Any]


class CollectionSettings(BaseSettings):
    """Where the collection is, and the shape of its index; `vector_dimensions` must be the embedder's."""

    model_config = SettingsConfigDict(env_prefix="SELFRAG_", frozen=True, extra="ignore")

    collection_endpoint: str = Field(pattern=r"^https?://[^/]+/?$")
    collection_region: str | None = None
    # A collection that was idle answers its first request after 10 to 30 s.
    collection_timeout_seconds: float = Field(default=35.0, gt=0)
    index_name: str = Field(default="passages", pattern=r"^[a-z0-9][a-z0-9_-]*$")
    vector_dimensions: int = Field(default=512, ge=1, le=16_000)


def read_settings() -> CollectionSettings:
    """The settings that the environment gives; raises Misconfigured, with their names, when they are wrong."""
    try:
        # mypy cannot know that the environment gives the required field.
        return CollectionSettings()  # type: ignore[call-arg]
    except ValidationError as error:
        wrong = "; ".join(f"SELFRAG_{str(e['loc'][0]).upper()}: {e['msg']}" for e in error.errors())
        raise Misconfigured(f"the settings of the collection are wrong: {wrong}") from error


def connect(config: CollectionSettings) -> OpenSearch:
    """A client that signs its requests and never repeats one; raises Misconfigured without credentials or region."""
    session = boto3.Session(region_name=config.collection_region)
    credentials = session.get_credentials()
    if credentials is None or session.region_name is None:
        raise Misconfigured("the collection needs AWS credentials and a region: SELFRAG_COLLECTION_REGION")
    return OpenSearch(
        hosts=[config.collection_endpoint],
        # Only this signer works with 3.2.0: the one for requests signs headers that the service never sees.
        http_auth=Urllib3AWSV4SignerAuth(credentials, session.region_name, "aoss"),
        connection_class=Urllib3HttpConnection,
        timeout=config.collection_timeout_seconds,
        max_retries=0,
    )


def mapping(dimensions: int) -> Json:
    """The index's settings and fields."""
    # `cjk` makes bigrams of Chinese, Japanese and Korean, `english` stems: a query is scored by both.
    text = {"type": "text", "analyzer": "cjk", "fields": {"english": {"type": "text", "analyzer": "english"}}}
    keyword = {"type": "keyword"}
    # On vectors of length 1 this is the cosine; Faiss knows no space of that name before OpenSearch 2.19.
    method = {"name": "hnsw", "engine": "faiss", "space_type": "innerproduct"}
    fields = {
        "passage_id": keyword,
        "document": keyword,
        "collection": keyword,
        "position": {"type": "integer"},
        "title": text,
        "text": text,
        "heading": keyword,
        "page": {"type": "integer"},
        "tags": keyword,
        "date": {"type": "date"},
        "vector": {"type": "knn_vector", "dimension": dimensions, "method": method},
    }
    return {"settings": {"index": {"knn": True}}, "mappings": {"properties": fields}}


def check_length(vector: Sequence[float], dimensions: int) -> None:
    """Raise Misconfigured when the embedder's vector does not fit the index."""
    if len(vector) != dimensions:
        raise Misconfigured(f"the embedder gives {len(vector)} dimensions, the index holds {dimensions}")


def lines(*parts: Json) -> str:
    """A body of one line of JSON for each part."""
    # ASCII only: its length is its bytes, and half of a surrogate pair cannot break the encoding.
    return "".join(json.dumps(part) + "\n" for part in parts)


# What a call can end in: an error of the client, or a reply that has not the form that it should have.
FAULTS = (OpenSearchException, LookupError, TypeError, ValueError)


@contextmanager
def typed_errors() -> Iterator[None]:
    """Turn what a call can end in into an error of selfrag."""
    try:
        yield
    except FAULTS as error:
        # Not `from error`: what the service says may repeat the query or the passage.
        raise typed(error) from None


def typed(error: Exception) -> SelfragError:
    """The error of selfrag that says what this one means."""
    status = getattr(error, "status_code", None)
    if isinstance(status, int):
        return refusal(status)
    return TemporarilyUnavailable("the passage index cannot be reached, or did not reply in time")


def was_refused(error: Exception) -> bool:
    """Whether the service refused the request, so that it did nothing."""
    status = getattr(error, "status_code", None)
    return isinstance(status, int) and 400 <= status < 500


def refusal(status: int) -> SelfragError:
    """The error that this status of a reply means."""
    if status in (401, 403):
        return Misconfigured(f"the passage index refused the credentials or the access: status {status}")
    # 404: an index can be used some seconds after it was created.
    if status in (404, 408, 409, 429) or status >= 500:
        return TemporarilyUnavailable(f"the passage index is busy or not ready: status {status}")
    return RequestRejected(f"the passage index refused the request: status {status}")
