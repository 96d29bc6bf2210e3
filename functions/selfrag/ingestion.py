"""What the ingestion steps share: their settings, the names of documents, and where work in progress lies."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from selfrag.errors import Misconfigured, SelfragError, TemporarilyUnavailable

DEFAULT_COLLECTION = "documents"
# Raise it when the same file would be read or split otherwise than before: it is part of what tells that a document
# is unchanged.
PASSAGES = "2"
_GONE = {"NoSuchKey", "404", "NotFound"}


class IngestionSettings(BaseSettings):
    """Where ingestion keeps its manifest and its work.

    `view_seconds` is how long a write to the index may stay out of sight (about a minute, AWS says no figure);
    `pipeline` names what vectors depend on beside the passages: change it to index everything anew.
    """

    model_config = SettingsConfigDict(env_prefix="SELFRAG_", frozen=True, extra="ignore")

    documents_table: str = "selfrag-documents"
    work_bucket: str = "selfrag-work"
    view_seconds: float = Field(default=90.0, ge=0)
    pipeline: str = "1"

    @property
    def made_by(self) -> str:
        """What passages and vectors depend on beside the content of a document."""
        return f"{PASSAGES} {self.pipeline}"


@cache
def ingestion_settings() -> IngestionSettings:
    """Read the settings once per process; raises Misconfigured with the names that are wrong."""
    try:
        return IngestionSettings()
    except ValidationError as error:
        wrong = "; ".join(f"SELFRAG_{str(e['loc'][0]).upper()}: {e['msg']}" for e in error.errors())
        raise Misconfigured(f"the settings of ingestion are wrong: {wrong}") from error


def document_id(bucket: str, key: str) -> str:
    """The id of an object as a document: 32 hexadecimal digits."""
    return hashlib.sha256(f"{bucket}/{key}".encode()).hexdigest()[:32]


def collection_of(key: str) -> str:
    """The collection that an object belongs to: the first part of its key."""
    first, slash, _ = key.partition("/")
    return first if slash else DEFAULT_COLLECTION


def generation_of(content: bytes, made_by: str, labels: object) -> str:
    """What tells one content of a document from another: the bytes, the object's labels, and what made it."""
    return hashlib.sha256(f"{made_by}\n{labels}\n".encode() + content).hexdigest()[:16]


def passage_id(document: str, generation: str, position: int) -> str:
    """The id of a passage: the same again for the same content, another one for any other."""
    return hashlib.sha256(f"{document}/{generation}/{position}".encode()).hexdigest()[:32]


@dataclass(frozen=True)
class Object:
    """An object's content, or its beginning, and its own metadata (`x-amz-meta-...`, without that prefix)."""

    content: bytes
    metadata: Mapping[str, str]


class Objects:
    """Objects in S3; raises selfrag's typed errors."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def head(self, bucket: str, key: str) -> str | None:
        """The version of an object as it is now (its ETag in a bucket without versions), or None if it is gone."""
        try:
            found = self._client.head_object(Bucket=bucket, Key=key)
        except ClientError as error:
            if error.response["Error"]["Code"] in _GONE:
                return None
            raise _typed(error) from error
        except BotoCoreError as error:
            raise _typed(error) from error
        return str(found.get("VersionId") or found["ETag"])

    def get(self, bucket: str, key: str, most: int) -> Object | None:
        """An object as it is now, with at most so many bytes, or None if it is gone."""
        try:
            found = self._client.get_object(Bucket=bucket, Key=key)
            return Object(bytes(found["Body"].read(most)), found.get("Metadata") or {})
        except ClientError as error:
            if error.response["Error"]["Code"] in _GONE:
                return None
            raise _typed(error) from error
        except BotoCoreError as error:
            raise _typed(error) from error

    def put_json(self, key: str, value: Any) -> None:
        """Keep work in progress."""
        body = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
        try:
            self._client.put_object(Bucket=ingestion_settings().work_bucket, Key=key, Body=body)
        except (BotoCoreError, ClientError) as error:
            raise _typed(error) from error

    def has_json(self, key: str) -> bool:
        """Whether work in progress is there."""
        return self.head(ingestion_settings().work_bucket, key) is not None

    def get_json(self, key: str) -> Any:
        """Work in progress; raises TemporarilyUnavailable when it is not there, for it can be made again."""
        found = self.get(ingestion_settings().work_bucket, key, -1)
        if found is None:
            raise TemporarilyUnavailable("work in progress is gone; the document has to be read again")
        return json.loads(found.content)


def objects() -> Objects:
    """The objects of this deployment's buckets."""
    return Objects(_s3())


@cache
def _s3() -> Any:
    return boto3.client("s3", config=Config(connect_timeout=3, read_timeout=30, retries={"total_max_attempts": 2}))


def _typed(error: Exception) -> SelfragError:
    if isinstance(error, ClientError):
        status = error.response["ResponseMetadata"]["HTTPStatusCode"]
        if status in (401, 403):
            return Misconfigured(f"the bucket refused the access: status {status}")
        return TemporarilyUnavailable(f"the bucket is busy: status {status}")
    return TemporarilyUnavailable(f"the bucket cannot be reached: {type(error).__name__}")
