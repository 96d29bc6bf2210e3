"""The bucket that documents are dropped into, as the API uses it: forms for uploads, and deletion."""

from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import quote

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from selfrag.errors import Misconfigured, SelfragError, TemporarilyUnavailable
from selfrag.requests import UploadRequest

UPLOAD_SECONDS = 900


@dataclass(frozen=True)
class Form:
    """What an upload is sent with: a POST of multipart/form-data with these fields, and the file as the last one."""

    url: str
    fields: dict[str, str]


class Bucket:
    """One bucket; raises selfrag's typed errors."""

    def __init__(self, client: Any, name: str) -> None:
        self._client, self._name = client, name

    def form(self, request: UploadRequest) -> Form:
        """A form by which this one object, of this size and type, can be uploaded for 15 minutes."""
        fields = {name: value for name, value in _headers(request).items() if value}
        conditions = [["content-length-range", request.size, request.size], *({k: v} for k, v in fields.items())]
        try:
            signed = self._client.generate_presigned_post(
                self._name, request.key, Fields=fields, Conditions=conditions, ExpiresIn=UPLOAD_SECONDS
            )
        except (BotoCoreError, ClientError) as error:
            raise _typed(error) from error
        return Form(signed["url"], signed["fields"])

    def delete(self, key: str) -> None:
        """Delete an object; one that is gone already is no error."""
        try:
            self._client.delete_object(Bucket=self._name, Key=key)
        except (BotoCoreError, ClientError) as error:
            raise _typed(error) from error


def _headers(request: UploadRequest) -> dict[str, str]:
    # Metadata may hold ASCII only.
    return {
        "Content-Type": request.content_type,
        "x-amz-meta-tags": quote(", ".join(request.tags), safe=", "),
        "x-amz-meta-date": request.date or "",
    }


@cache
def s3() -> Any:
    """The client of the bucket; forms are good for its own region only."""
    config = Config(
        signature_version="s3v4",
        s3={"addressing_style": "virtual"},
        connect_timeout=2,
        read_timeout=5,
        retries={"total_max_attempts": 2},
    )
    return boto3.client("s3", config=config)


def _typed(error: Exception) -> SelfragError:
    status = error.response["ResponseMetadata"]["HTTPStatusCode"] if isinstance(error, ClientError) else 0
    if status in (401, 403, 404):
        return Misconfigured(f"the API may not use the bucket of documents: status {status}")
    return TemporarilyUnavailable("The documents cannot be reached just now.")
