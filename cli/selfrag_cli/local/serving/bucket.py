"""The bucket of the served API: a directory that is read, and that uploads go into or that is not to be changed."""

import hashlib
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Protocol

from typing_extensions import override

from selfrag.api.edge.problems import ProblemError
from selfrag.domain.errors import InvalidInput
from selfrag.domain.questions import UploadRequest
from selfrag.ports.objects import LINK_SECONDS, UPLOAD_SECONDS, Uploads, UploadTarget
from selfrag_cli.local.serving.folder import Folder

UPLOADS_PATH = "/uploads/"
ORIGINALS_PATH = "/originals/"
Changed = Callable[[str, str], None]


@dataclass(frozen=True)
class PendingUpload:
    """A file to come: its key, its bytes, and until when it may come."""

    key: str
    size: int
    ends_at: float


class Bucket(Uploads, Protocol):
    """The stand-in for the bucket of documents: the API's side of it, and the place that a file is put to."""

    def awaited(self, token: str) -> PendingUpload:
        """Return the file that an address was given for; raises ProblemError."""

    def put(self, token: str, content: bytes) -> str:
        """Store the file that an address was given for, once, and return its ETag; raises ProblemError."""

    def original(self, token: str) -> tuple[str, bytes, bool]:
        """Return a link's key, its content, and whether a browser shows it (`inline`); raises ProblemError."""


class ReadBucket:
    """Gives links to the files of a directory, if there is one, at the server's `url`."""

    def __init__(self, folder: Folder | None, url: str) -> None:
        self._folder, self._url = folder, url
        # The keys that links were given for, whether each is shown inline, and until when it is good.
        self._linked: dict[str, tuple[str, bool, float]] = {}

    def link(self, key: str, inline: bool = False) -> str:
        """Return an address that gives this one file, for LINK_SECONDS; "" if it is not there."""
        if self._folder is None or self._folder.read(key) is None:
            return ""
        now, token = time.time(), secrets.token_urlsafe(32)
        for old, (_, _, ends_at) in list(self._linked.items()):
            if ends_at <= now:
                self._linked.pop(old, None)
        self._linked[token] = key, inline, now + LINK_SECONDS
        return f"{self._url}{ORIGINALS_PATH}{token}"

    def original(self, token: str) -> tuple[str, bytes, bool]:
        """Return a link's key, its content, and whether a browser shows it (`inline`); raises ProblemError."""
        key, inline, ends_at = self._linked.get(token, ("", False, 0.0))
        content = self._folder.read(key) if self._folder and ends_at > time.time() else None
        if content is None:
            hint = "Ask GET /v1/documents/{document_id}/original for another one."
            raise ProblemError(HTTPStatus.NOT_FOUND, "This link leads to no file: each is good for a minute.", hint)
        return key, content, inline


class ReadOnlyBucket(ReadBucket, Bucket):
    """Refuses uploads and deletions."""

    @override
    def origin(self) -> str:
        """Nothing is uploaded."""
        return ""

    @override
    def target(self, request: UploadRequest) -> UploadTarget:
        raise _unchanged()

    @override
    def delete(self, key: str) -> None:
        raise _unchanged()

    @override
    def awaited(self, token: str) -> PendingUpload:
        raise _unchanged()

    @override
    def put(self, token: str, content: bytes) -> str:
        raise _unchanged()


class DirectoryBucket(ReadBucket, Bucket):
    """A directory as the API's bucket: gives addresses of the server at `url`, takes what is put there, and deletes.

    `changed` is called with the key and the ETag of what was put, and with none for what was deleted.
    """

    def __init__(self, folder: Folder, changed: Changed, url: str) -> None:
        super().__init__(folder, url)
        self._directory, self._changed = folder, changed
        self._awaited: dict[str, PendingUpload] = {}

    @override
    def origin(self) -> str:
        return self._url

    @override
    def target(self, request: UploadRequest) -> UploadTarget:
        """Return an address for one file; raises InvalidInput for what no file can have."""
        self._directory.check(request.key)
        if request.tags or request.date:
            raise InvalidInput("A directory stores no tags and no date of its files: write them into the document.")
        now, token = time.time(), secrets.token_urlsafe(32)
        for old, awaited in list(self._awaited.items()):
            if awaited.ends_at <= now:
                self._awaited.pop(old, None)
        self._awaited[token] = PendingUpload(request.key, request.size, now + UPLOAD_SECONDS)
        return UploadTarget(f"{self._url}{UPLOADS_PATH}{token}")

    @override
    def delete(self, key: str) -> None:
        self._directory.delete(key)
        self._changed(key, "")

    @override
    def awaited(self, token: str) -> PendingUpload:
        """Return the file that an address was given for; raises ProblemError if it is good for none any more."""
        return _still_good(self._awaited.get(token))

    @override
    def put(self, token: str, content: bytes) -> str:
        """Write the file that an address was given for, and return its ETag.

        Raises ProblemError for another number of bytes, and the second time.
        """
        check_size(self.awaited(token), len(content))
        awaited = _still_good(self._awaited.pop(token, None))
        self._directory.put(awaited.key, content)
        etag = f'"{hashlib.md5(content, usedforsecurity=False).hexdigest()}"'
        self._changed(awaited.key, etag)
        return etag


def check_size(awaited: PendingUpload, size: int) -> None:
    """Raise ProblemError for another number of bytes than was named."""
    if size != awaited.size:
        detail = f"The file has {size:,} bytes; its upload was requested with {awaited.size:,}."
        raise ProblemError(HTTPStatus.BAD_REQUEST, detail, "Ask POST /v1/documents again, with its size.")


def _still_good(awaited: PendingUpload | None) -> PendingUpload:
    if awaited is None or awaited.ends_at <= time.time():
        detail = "This address takes no file: each takes one, for 15 minutes."
        raise ProblemError(HTTPStatus.FORBIDDEN, detail, "Ask POST /v1/documents for another one.")
    return awaited


def _unchanged() -> ProblemError:
    hint = "Start it with `selfrag serve --docs DIR --writable`."
    return ProblemError(HTTPStatus.FORBIDDEN, "This server does not change its documents.", hint)
