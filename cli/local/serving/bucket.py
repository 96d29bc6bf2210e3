"""The bucket of the served API: a directory that uploads go into, or one that is not to be changed."""

import hashlib
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Protocol

from ask.edge.problems import ProblemRaised
from cli.local.serving.folder import Folder
from selfrag.domain.errors import InvalidInput
from selfrag.domain.questions import UploadRequest
from selfrag.ports.objects import UPLOAD_SECONDS, Form, Uploads

UPLOADS_PATH = "/uploads/"
Changed = Callable[[str, str], None]


@dataclass(frozen=True)
class Awaited:
    """A file to come: its key, its bytes, and until when it may come."""

    key: str
    size: int
    ends_at: float


class Bucket(Uploads, Protocol):
    """The stand-in for the bucket of documents: the API's side of it, and the place that a file is put to."""

    def awaited(self, token: str) -> Awaited:
        """Return the file that an address was given for; raises ProblemRaised."""

    def put(self, token: str, content: bytes) -> str:
        """Store the file that an address was given for, once, and return its ETag; raises ProblemRaised."""


class ReadOnlyBucket:
    """Refuses uploads and deletions."""

    def origin(self) -> str:
        """Nothing is uploaded."""
        return ""

    def form(self, request: UploadRequest) -> Form:
        """Raise ProblemRaised with what to do instead."""
        raise _unchanged()

    def delete(self, key: str) -> None:
        """Raise ProblemRaised with what to do instead."""
        raise _unchanged()

    def awaited(self, token: str) -> Awaited:
        """Raise ProblemRaised with what to do instead."""
        raise _unchanged()

    def put(self, token: str, content: bytes) -> str:
        """Raise ProblemRaised with what to do instead."""
        raise _unchanged()


class DirectoryBucket:
    """A directory as the API's bucket: gives addresses of the server at `url`, takes what is put there, and deletes.

    `changed` is called with the key and the ETag of what was put, and with none for what was deleted.
    """

    def __init__(self, folder: Folder, changed: Changed, url: str) -> None:
        self._folder, self._changed, self._url = folder, changed, url
        self._awaited: dict[str, Awaited] = {}

    def origin(self) -> str:
        """Return the server itself."""
        return self._url

    def form(self, request: UploadRequest) -> Form:
        """Return an address for one file; raises InvalidInput for what no file can have."""
        self._folder.check(request.key)
        if request.tags or request.date:
            raise InvalidInput("A directory keeps no tags and no date beside its files: let the document say them.")
        now, token = time.time(), secrets.token_urlsafe(32)
        for old, awaited in list(self._awaited.items()):
            if awaited.ends_at <= now:
                self._awaited.pop(old, None)
        self._awaited[token] = Awaited(request.key, request.size, now + UPLOAD_SECONDS)
        return Form(f"{self._url}{UPLOADS_PATH}{token}", {}, "PUT")

    def delete(self, key: str) -> None:
        """Delete a file; one that is gone already is no error."""
        self._folder.delete(key)
        self._changed(key, "")

    def awaited(self, token: str) -> Awaited:
        """Return the file that an address was given for; raises ProblemRaised if it is good for none any more."""
        return _still_good(self._awaited.get(token))

    def put(self, token: str, content: bytes) -> str:
        """Write the file that an address was given for, and return its ETag.

        Raises ProblemRaised for another number of bytes, and the second time.
        """
        check_size(self.awaited(token), len(content))
        awaited = _still_good(self._awaited.pop(token, None))
        self._folder.put(awaited.key, content)
        etag = f'"{hashlib.md5(content, usedforsecurity=False).hexdigest()}"'
        self._changed(awaited.key, etag)
        return etag


def check_size(awaited: Awaited, size: int) -> None:
    """Raise ProblemRaised for another number of bytes than was named."""
    if size != awaited.size:
        detail = f"The file has {size:,} bytes; its upload was asked for with {awaited.size:,}."
        raise ProblemRaised(HTTPStatus.BAD_REQUEST, detail, "Ask POST /v1/documents again, with its size.")


def _still_good(awaited: Awaited | None) -> Awaited:
    if awaited is None or awaited.ends_at <= time.time():
        detail = "This address takes no file: each takes one, for 15 minutes."
        raise ProblemRaised(HTTPStatus.FORBIDDEN, detail, "Ask POST /v1/documents for another one.")
    return awaited


def _unchanged() -> ProblemRaised:
    hint = "Start it with `selfrag serve --docs DIR --writable`."
    return ProblemRaised(HTTPStatus.FORBIDDEN, "This server does not change its documents.", hint)
