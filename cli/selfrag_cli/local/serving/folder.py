"""A directory as a bucket of one collection: files are put into it whole, and nothing outside it is touched."""

import errno
import os
import stat
import uuid
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from selfrag.domain.errors import InvalidInput, TemporarilyUnavailable

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
        """Delete a file; one that is gone already is no error."""
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
