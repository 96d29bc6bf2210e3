"""Objects in buckets: documents as they are uploaded and dropped, and work in progress."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from selfrag.domain.questions import UploadRequest

UPLOAD_SECONDS = 900


@dataclass(frozen=True)
class Object:
    """An object's content, or its beginning, and its own metadata (`x-amz-meta-...`, without that prefix)."""

    content: bytes
    metadata: Mapping[str, str]


class Objects(Protocol):
    """The buckets of a deployment; raises selfrag's typed errors."""

    def head(self, bucket: str, key: str) -> str | None:
        """The version of an object as it is now, or None if it is gone."""

    def get(self, bucket: str, key: str, most: int) -> Object | None:
        """An object as it is now, with at most so many bytes, or None if it is gone."""

    def put_json(self, key: str, value: Any) -> None:
        """Keep work in progress."""

    def has_json(self, key: str) -> bool:
        """Whether work in progress is there."""

    def get_json(self, key: str) -> Any:
        """Work in progress; raises TemporarilyUnavailable when it is not there, for it can be made again."""


@dataclass(frozen=True)
class Form:
    """What an upload is sent with: a POST of multipart/form-data with these fields, and the file as the last one.

    Or a PUT of the file alone, which has no fields.
    """

    url: str
    fields: dict[str, str]
    method: Literal["POST", "PUT"] = "POST"


class Uploads(Protocol):
    """The bucket that documents are dropped into; raises selfrag's typed errors."""

    def origin(self) -> str:
        """Where forms are sent to, as a browser names it: scheme, host and port; "" if there are none."""

    def form(self, request: UploadRequest) -> Form:
        """A form by which this one object can be uploaded for UPLOAD_SECONDS."""

    def delete(self, key: str) -> None:
        """Delete an object; one that is gone already is no error."""
