"""The bucket of the served API: a directory that is read, and that uploads go into or that is not to be changed."""

import errno
import hashlib
import os
import secrets
import stat
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

from typing_extensions import override

from selfrag.api.edge.problems import ProblemError
from selfrag.domain.errors import InvalidInput, TemporarilyUnavailable
from selfrag.domain.questions import UploadRequest
from selfrag.ports.objects import LINK_SECONDS, UPLOAD_SECONDS, Uploads, UploadTarget

UPLOADS_PATH = "/uploads/"
ORIGINALS_PATH = "/originals/"
Changed = Callable[[str, str], None]
MAX_NAME_BYTES = 255
_IN_THE_WAY = {errno.ENOTDIR, errno.EISDIR, errno.ELOOP}


class Folder:
    """The documents of a collection below a directory; a key is the collection's name, a slash and a path."""

    def __init__(self, directory: Path, collection: str) -> None:
        self._directory = directory.resolve()
        self._collection = collection

    def check(self, key: str) -> None:
        """Raise InvalidInput if ingestion would not read a file for this key, or if there can be none."""
        *folders, name = self._names(key)
        with _in_words(key), suppress(FileNotFoundError), self._opened(folders) as folder:
            if stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
                raise IsADirectoryError(errno.EISDIR, "")

    def put(self, key: str, content: bytes) -> None:
        """Write a file, or replace it; a reader meanwhile sees the old one or the new one.

        Raises InvalidInput as `check` does, TemporarilyUnavailable if it cannot be written.
        """
        *folders, name = self._names(key)
        # Ingestion leaves out hidden files.
        unfinished = f".{uuid.uuid4().hex}.upload"
        with _in_words(key), self._opened(folders, make=True) as folder:
            file = os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666, dir_fd=folder)
            try:
                with open(file, "wb") as opened:
                    opened.write(content)
                    opened.flush()
                    os.fsync(file)
                os.rename(unfinished, name, src_dir_fd=folder, dst_dir_fd=folder)
            except OSError:
                os.unlink(unfinished, dir_fd=folder)
                raise

    def read(self, key: str) -> bytes | None:
        """Return a file's content, or None if there is none that ingestion would read."""
        *folders, name = self._names(key)
        with suppress(OSError), self._opened(folders) as folder:
            file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
            with open(file, "rb") as opened:
                return opened.read() if stat.S_ISREG(os.fstat(file).st_mode) else None
        return None

    def delete(self, key: str) -> None:
        """Delete a file if it exists."""
        *folders, name = self._names(key)
        with _in_words(key), suppress(FileNotFoundError), self._opened(folders) as folder:
            os.unlink(name, dir_fd=folder)

    def _names(self, key: str) -> list[str]:
        collection, *names = key.split("/")
        if collection != self._collection or not names:
            raise InvalidInput(f"The key must begin with {self._collection}/: that is the collection served here.")
        if any(name.startswith(".") or not name for name in names):
            raise InvalidInput(f"{key} names a hidden file, which is not read: let no name begin with a dot.")
        if any(len(os.fsencode(name)) > MAX_NAME_BYTES for name in names):
            raise InvalidInput(f"A name in the key has more than {MAX_NAME_BYTES} bytes; choose a shorter one.")
        return names

    @contextmanager
    def _opened(self, folders: Sequence[str], make: bool = False) -> Iterator[int]:
        """Yield the folder that a file lies in, opened from folder to folder, so that no link can lead elsewhere."""
        with ExitStack() as stack:
            folder = os.open(self._directory, os.O_RDONLY | os.O_DIRECTORY)
            stack.callback(os.close, folder)
            for name in folders:
                if make:
                    with suppress(FileExistsError):
                        os.mkdir(name, dir_fd=folder)
                folder = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
                stack.callback(os.close, folder)
            yield folder


@contextmanager
def _in_words(key: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in _IN_THE_WAY:
            message = f"{key} cannot be a file here: a folder, file or link is in its way."
            raise InvalidInput(message) from error
        raise TemporarilyUnavailable(f"{key} cannot be written: {error.strerror}.") from error


@dataclass(frozen=True)
class PendingUpload:
    """A file to come: its key, its bytes, and until when it may come."""

    key: str
    size: int
    ends_at: float


class DirectoryBucket(Uploads):
    """A directory as the API's bucket, at the server's `url`; without a `folder` it links to no file.

    If writable, it issues upload addresses, stores uploads and deletes; `changed` is called with the key and the ETag,
    or none after a deletion. Otherwise it refuses all of that.
    """

    def __init__(self, folder: Folder | None, url: str, changed: Changed | None = None) -> None:
        self._folder, self._url, self._changed = folder, url, changed
        # The keys that links were given for, whether each is shown inline, and until when it is good.
        self._linked: dict[str, tuple[str, bool, float]] = {}
        self._awaited: dict[str, PendingUpload] = {}

    @override
    def origin(self) -> str:
        return self._url if self._changed else ""

    @override
    def link(self, key: str, inline: bool = False) -> str:
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

    @override
    def target(self, request: UploadRequest) -> UploadTarget:
        """Return an upload address for one file; raises InvalidInput for an unsupported key or labels."""
        folder, _ = self._writable()
        folder.check(request.key)
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
        folder, changed = self._writable()
        folder.delete(key)
        changed(key, "")

    def awaited(self, token: str) -> PendingUpload:
        """Return the file that an address was given for; raises ProblemError if it is good for none any more."""
        self._writable()
        return _still_good(self._awaited.get(token))

    def put(self, token: str, content: bytes) -> str:
        """Write the file that an address was given for, and return its ETag.

        Raises ProblemError for another number of bytes, and the second time.
        """
        folder, changed = self._writable()
        check_size(self.awaited(token), len(content))
        awaited = _still_good(self._awaited.pop(token, None))
        folder.put(awaited.key, content)
        etag = f'"{hashlib.md5(content, usedforsecurity=False).hexdigest()}"'
        changed(awaited.key, etag)
        return etag

    def _writable(self) -> tuple[Folder, Changed]:
        """Return the folder and what hears of changes; raises ProblemError if the documents are not to be changed."""
        if self._folder is None or self._changed is None:
            hint = "Start it with `selfrag serve --docs DIR --writable`."
            raise ProblemError(HTTPStatus.FORBIDDEN, "This server does not change its documents.", hint)
        return self._folder, self._changed


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
