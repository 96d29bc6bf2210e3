"""Objects in buckets: documents as they are uploaded and dropped, and work in progress."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from selfrag.domain.questions import UploadRequest

UPLOAD_SECONDS = 900
LINK_SECONDS = 60


@dataclass(frozen=True)
class Object:
    """An object's content, or its beginning, and its own metadata (`x-amz-meta-...`, without that prefix)."""

    content: bytes
    metadata: Mapping[str, str]


class Objects(Protocol):
    """The buckets of a deployment; raises selfrag's typed errors."""

    def head(self, bucket: str, key: str) -> str | None:
        """Return the current version of an object, or None if it does not exist."""

    def get(self, bucket: str, key: str, most: int) -> Object | None:
        """Return an object's first bytes up to this limit, or None if it does not exist."""

    def put_json(self, key: str, value: Any) -> None:
        """Store work in progress."""

    def has_json(self, key: str) -> bool:
        """Return whether work in progress is there."""

    def get_json(self, key: str) -> Any:
        """Return an intermediate result; raises TemporarilyUnavailable if it is missing, since it can be recreated."""


@dataclass(frozen=True)
class UploadTarget:
    """The address of an upload, which takes one file by PUT, sent with these headers."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)


class Uploads(Protocol):
    """The bucket that documents are dropped into; raises selfrag's typed errors."""

    def origin(self) -> str:
        """Return the origin that files are sent to: scheme, host and port; "" if there is none."""

    def target(self, request: UploadRequest) -> UploadTarget:
        """Return an address that takes this one object once, for UPLOAD_SECONDS."""

    def link(self, key: str, inline: bool = False) -> str:
        """Return an address of this one object, for LINK_SECONDS; "" if it is not kept here.

        A browser downloads it or, `inline`, shows it as a PDF and as nothing else.
        """

    def delete(self, key: str) -> None:
        """Delete an object, if it exists."""
