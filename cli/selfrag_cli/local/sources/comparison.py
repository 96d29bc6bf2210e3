"""A directory compared with the manifest: its documents, those to ingest, and those that are gone."""

import hashlib
import os
import stat
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from selfrag.domain.documents import MAX_DOCUMENT_BYTES
from selfrag.domain.errors import BadDocument
from selfrag.domain.fields import MAX_KEY_BYTES
from selfrag.domain.kinds import EXTENSIONS, is_lock_file
from selfrag.domain.records import Record
from selfrag_cli.local.sources.place import Place, check_directory
from selfrag_cli.local.stores.manifest import LocalManifest


@dataclass
class Files(ABC):
    """The documents of a directory, or of a site, in order; and what else was met, each file once.

    `paths` have slashes, or are addresses. `others` counts the files of other kinds by their ending, `links` what is a
    link, `empty` are folders with nothing in them, and `unread` says why something cannot be read, by its path. `notes`
    are sentences about all of it, and `summary` says how it was found, "" if there is nothing to say.
    """

    paths: list[str] = field(default_factory=list)
    others: Counter[str] = field(default_factory=Counter)
    links: int = 0
    unread: dict[str, str] = field(default_factory=dict)
    empty: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    summary: str = ""

    @abstractmethod
    def content(self, path: str) -> bytes:
        """Return the bytes of a file, at most one more than a document may have; raises BadDocument."""

    def metadata(self, path: str) -> Mapping[str, str]:
        """Return the metadata of a file, as an object in a bucket has it."""
        return {}


@dataclass
class DirectoryFiles(Files):
    """The files below a directory; hidden ones and lock files are in none of the counts."""

    directory: Path = field(default_factory=Path)

    def content(self, path: str) -> bytes:
        """Return the bytes of a file, at most one more than a document may have; raises BadDocument."""
        try:
            with (self.directory / path).open("rb") as opened:
                return opened.read(MAX_DOCUMENT_BYTES + 1)
        except OSError as error:
            raise BadDocument(f"{path} cannot be read: {error.strerror}.") from error


@dataclass(frozen=True)
class Comparison:
    """The records of each path before, and the files as they are now.

    `todo` are to be ingested, `gone` are known but no files any more; `unread` says why something cannot be read.
    `digests` are those of the files that could be read, `loss` says what would be removed and is not. `keep` writes
    down what the next comparison needs to know of this one.
    """

    before: dict[str, Record]
    files: Files
    todo: list[str]
    gone: list[str]
    unread: dict[str, str]
    digests: Collection[str] = ()
    loss: str = ""
    keep: Callable[[], None] = lambda: None

    @property
    def in_step(self) -> bool:
        """Return whether nothing is to be done."""
        return not self.todo and not self.gone

    @property
    def retained(self) -> list[str]:
        """Return the documents that cannot be read now and stay in the index as they were read before."""
        return sorted(path for path in self.unread if path in self.before and self.before[path].generation)

    @property
    def lost(self) -> list[str]:
        """Return the removed documents, except those that were renamed."""
        records = ((path, self.before[path]) for path in self.gone)
        return [path for path, each in records if each.generation and each.version.split('"')[1] not in self.digests]

    def keep_lost(self, why: str) -> "Comparison":
        """Return a comparison that keeps the lost documents in the index."""
        gone = sorted(set(self.gone) - set(self.lost))
        unread = {**self.unread, **dict.fromkeys(self.lost, why)}
        return replace(
            self, gone=gone, unread=unread, loss=why, files=replace(self.files, notes=[why, *self.files.notes])
        )


def compare(place: Place, manifest: LocalManifest, made_by: str) -> Comparison:
    """Compare a place's files with the manifest; `made_by` names what else passages depend on than the content."""
    # Read before the files are: what another process adds meanwhile is then not taken for a file that is gone.
    before = records_by_path(place, manifest)
    files = documents_below(place.source, place.collection)
    todo, unread, digests = [], dict(files.unread), set()
    for path in files.paths:
        try:
            digest = digest_of(files.content(path))
        except BadDocument as error:
            unread[path] = str(error)
            continue
        digests.add(digest)
        if not is_settled(before.get(path), digest, made_by):
            todo.append(path)
    for path in before.keys() - set(files.paths):
        # A document that cannot be seen now may well be there: a folder above it cannot be listed.
        if why := next((unread[str(above)] for above in PurePosixPath(path).parents if str(above) in unread), ""):
            unread[path] = why
    for path in unread:
        if path in before and before[path].generation:
            unread[path] = f"{unread[path].removesuffix('.')}; what was read of it before is kept."
    gone = sorted(before.keys() - set(files.paths) - unread.keys())
    return Comparison(before, files, todo, gone, unread, digests)


def records_by_path(place: Place, manifest: LocalManifest) -> dict[str, Record]:
    """Return the manifest's record of each document of a place, by its path in the directory."""
    return {place.path_of(key): record for key, record in manifest.records(place.collection).items()}


def is_about(record: Record) -> bool:
    """Return whether a document failed for what it holds: its reason begins with its key, and no retry helps."""
    return record.reason.startswith(record.key)


def digest_of(content: bytes) -> str:
    """Return the digest of a content that is its ETag in a bucket."""
    return hashlib.md5(content, usedforsecurity=False).hexdigest()


def is_settled(record: Record | None, digest: str, made_by: str) -> bool:
    """Return whether the manifest says what became of the content of this digest, and it would be the same again."""
    if record is None:
        return False
    final = record.status == "ready" or (record.status == "failed" and is_about(record))
    # The version that the workflow records for an object: its ETag, and what made its passages.
    return final and record.version == f'"{digest}" {made_by}'


def documents_below(directory: Path, collection: str) -> DirectoryFiles:
    """Find the documents below a directory; hidden files and lock files are left out, and links are not followed.

    A link of either kind leads out of the directory, or to what is read under its own name. Raises InvalidInput if
    the directory is none.
    """
    check_directory(directory)
    files = DirectoryFiles(directory=directory)
    most = MAX_KEY_BYTES - len(f"{collection}/".encode())

    def cannot_list(error: OSError) -> None:
        # A listing that breaks off names no folder.
        path = _shown(Path(error.filename or directory).relative_to(directory))
        files.unread[path] = f"{directory if path == '.' else path} cannot be read: {error.strerror}."

    for folder, folders, names in os.walk(directory, onerror=cannot_list):
        if not folders and not names:
            files.empty.append(_shown(Path(folder).relative_to(directory)))
        folders[:] = [name for name in folders if not name.startswith(".")]
        files.links += sum(os.path.islink(os.path.join(folder, name)) for name in folders)
        for name in names:
            if not name.startswith(".") and not is_lock_file(name):
                _add(files, Path(folder, name), most)
    files.paths.sort()
    return files


def _add(files: DirectoryFiles, file: Path, most: int) -> None:
    path = file.relative_to(files.directory)
    shown = _shown(path)
    try:
        mode = file.lstat().st_mode
    except OSError as error:
        files.unread[shown] = f"{shown} cannot be read: {error.strerror}."
        return
    if stat.S_ISLNK(mode):
        files.links += 1
    elif file.suffix.lower() not in EXTENSIONS:
        files.others[file.suffix.lower().encode(errors="replace").decode()] += 1
    elif not stat.S_ISREG(mode):
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
