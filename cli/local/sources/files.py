"""The files below a directory: documents, and what else lies there."""

import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from selfrag.domain.documents import EXTENSIONS, MAX_DOCUMENT_BYTES
from selfrag.domain.errors import BadDocument, InvalidInput
from selfrag.domain.fields import MAX_KEY_BYTES

SAMPLE_DOCUMENTS = Path(__file__).parents[3] / "docs" / "handbook"


@dataclass
class Files:
    """The paths of documents below a directory, with slashes, in order; and what else was met, each file once.

    `others` counts the files of other kinds by their ending, `links` what is a link, and `unread` says why something
    cannot be read, by its path. Hidden files are in none of them.
    """

    directory: Path
    paths: list[str] = field(default_factory=list)
    others: Counter[str] = field(default_factory=Counter)
    links: int = 0
    unread: dict[str, str] = field(default_factory=dict)

    def content(self, path: str) -> bytes:
        """Return the bytes of a file, at most one more than a document may have; raises BadDocument."""
        try:
            with (self.directory / path).open("rb") as opened:
                return opened.read(MAX_DOCUMENT_BYTES + 1)
        except OSError as error:
            raise BadDocument(f"{path} cannot be read: {error.strerror}.") from error

    def size(self, path: str) -> int:
        """Return the number of bytes of a file; 0 if it is gone."""
        try:
            return (self.directory / path).stat().st_size
        except OSError:
            return 0


def check_directory(directory: Path) -> None:
    """Raise InvalidInput for a directory that is none."""
    if not os.path.isdir(directory):
        raise InvalidInput(f"{directory} {'is not a directory' if os.path.exists(directory) else 'does not exist'}.")


def documents_below(directory: Path, collection: str) -> Files:
    """Find the documents below a directory; hidden files are left out, and links are not followed.

    A link of either kind leads out of the directory, or to what is read under its own name. Raises InvalidInput if
    the directory is none.
    """
    check_directory(directory)
    files = Files(directory)
    most = MAX_KEY_BYTES - len(f"{collection}/".encode())

    def cannot_list(error: OSError) -> None:
        path = _shown(Path(error.filename).relative_to(directory))
        files.unread[path] = f"{directory if path == '.' else path} cannot be read: {error.strerror}."

    for folder, folders, names in os.walk(directory, onerror=cannot_list):
        folders[:] = [name for name in folders if not name.startswith(".")]
        files.links += sum(Path(folder, name).is_symlink() for name in folders)
        for name in names:
            if not name.startswith("."):
                _add(files, Path(folder, name), most)
    files.paths.sort()
    return files


def _add(files: Files, file: Path, most: int) -> None:
    path = file.relative_to(files.directory)
    shown = _shown(path)
    if file.is_symlink():
        files.links += 1
    elif file.suffix.lower() not in EXTENSIONS:
        files.others[file.suffix.lower().encode(errors="replace").decode()] += 1
    elif not file.is_file():
        files.unread[shown] = f"{shown} is no file that holds something, but a pipe, a socket or a device."
    elif path.as_posix() != shown:
        files.unread[shown] = f"{shown} has a name that is not valid UTF-8; rename it."
    elif len(shown.encode()) > most:
        files.unread[shown] = f"{shown} lies too deep: its path may have no more than {most} bytes."
    else:
        files.paths.append(shown)


def _shown(path: Path) -> str:
    """Return a path with slashes; bytes that are no UTF-8 are replaced."""
    return path.as_posix().encode(errors="replace").decode()
