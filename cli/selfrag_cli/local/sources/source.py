"""Sources: a collection, the directory or site that it is read from as the home remembers it, and its files."""

import hashlib
import json
import os
import re
import sqlite3
import stat
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from shlex import quote
from urllib.parse import urlsplit

from selfrag.domain.documents import MAX_DOCUMENT_BYTES
from selfrag.domain.errors import BadDocument, InvalidInput
from selfrag.domain.fields import MAX_KEY_BYTES
from selfrag.domain.kinds import EXTENSIONS, is_lock_file
from selfrag_cli.local.home import connect, writing
from selfrag_cli.local.sources.site.addresses import canonical, is_address
from selfrag_cli.sample import HANDBOOK

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")
SCHEMA = """
CREATE TABLE IF NOT EXISTS sources (
    collection TEXT PRIMARY KEY, directory BLOB NOT NULL, read_at INTEGER NOT NULL, unread TEXT NOT NULL);
"""
# A collection without a given name is called after its directory or site, with a tilde, which no given name has.
_OWN = re.compile(r".+~[0-9a-f]{8}")

# A directory, or the address of a site's first page.
Root = Path | str


class SourceMismatch(InvalidInput):
    """The collection already belongs to another source."""


@dataclass(frozen=True)
class DocumentSource:
    """A collection, and the directory or the `site` that it is read from; neither for one that is used as it was read.

    Only `selfrag ingest` asks a site.
    """

    collection: str
    directory: Path | None = None
    site: str = ""

    @property
    def is_sample(self) -> bool:
        """Return whether it is the sample handbook."""
        return self.directory is not None and self.directory.resolve() == HANDBOOK.resolve()

    @property
    def required_directory(self) -> Path:
        """Return the directory; raises InvalidInput if there is none to read from."""
        if self.directory is None:
            raise InvalidInput(f"The collection {self.collection} has no directory here: name one with --docs.")
        return self.directory

    @property
    def root(self) -> Root:
        """Return the site, else the directory; raises InvalidInput if there is none to read from."""
        return self.site or self.required_directory

    def path_of(self, key: str) -> str:
        """Return the path in the directory of a document's key, which begins with the collection; so may a sentence."""
        return key.removeprefix(f"{self.collection}/")

    def __str__(self) -> str:
        """Return what a person calls it."""
        return self.site or (f"the collection {self.collection}" if self.directory is None else str(self.directory))


@dataclass(frozen=True)
class StoredSource:
    """The directory or site that a collection was read from last, and when (seconds since the epoch).

    `unread` says why something there could not be read, by its path; no record of the manifest tells of that.
    """

    collection: str
    root: Root
    read_at: int
    unread: Mapping[str, str]


def source_to_ask(docs: Root | None, collection: str) -> DocumentSource:
    """Either a named collection or a directory or site, by default the sample handbook; raises InvalidInput for both.

    A site is asked as it was ingested.
    """
    if not collection:
        return source_to_read(docs)
    if docs:
        raise InvalidInput("A named collection is looked at as it was ingested: leave out --docs or --collection.")
    return DocumentSource(_checked(collection))


def source_to_read(docs: Root | None, collection: str = "") -> DocumentSource:
    """Return a directory or a site, by default the sample handbook, and the collection that it is read into.

    That is its own, unless one is named. Raises InvalidInput for a directory, an address or a name that is none.
    """
    if isinstance(docs, str) and is_address(docs):
        site = canonical(docs)
        return DocumentSource(_checked(collection) if collection else own_collection(site), site=site)
    directory = Path(docs or HANDBOOK)
    check_directory(directory)
    return DocumentSource(_checked(collection) if collection else own_collection(directory), directory)


def check_directory(directory: Path) -> None:
    """Raise InvalidInput for a directory that is none."""
    if not os.path.isdir(directory):
        raise InvalidInput(f"{directory} {'is not a directory' if os.path.exists(directory) else 'does not exist'}.")


def own_collection(root: Root) -> str:
    """Return the name of a directory's or site's own collection: its last name or host, and digits of its own.

    It is the one that was read from this directory or moved to it, if there is one.
    """
    root, others = resolved(root), stored_sources()
    for source in others:
        if is_own(source.collection) and source.root == root:
            return source.collection
    taken, value = {source.collection for source in others}, os.fsencode(root)
    last = urlsplit(root).netloc if isinstance(root, str) else root.name
    readable = re.sub(r"[^\w.-]+", "-", last).strip("-.")[:40] or "documents"
    while (name := f"{readable}~{hashlib.sha256(value).hexdigest()[:8]}") in taken:
        value = name.encode() + os.fsencode(root)
    return name


def is_own(collection: str) -> bool:
    """Return whether a collection is a directory's or site's own, without a name that a person gave."""
    return _OWN.fullmatch(collection) is not None


def stored_source(collection: str) -> StoredSource | None:
    """Return the source of a collection; None if nothing of it was ever read."""
    return next((source for source in stored_sources() if source.collection == collection), None)


def stored_sources() -> list[StoredSource]:
    """Return the sources of all collections, in the order of their names."""
    with _opened() as connection:
        rows = connection.execute("SELECT * FROM sources ORDER BY collection").fetchall()
    roots = [(name, os.fsdecode(root), *rest) for name, root, *rest in rows]
    return [
        StoredSource(name, root if is_address(root) else Path(root), read_at, json.loads(unread))
        for name, root, read_at, unread in roots
    ]


def save_source(collection: str, root: Root, unread: Mapping[str, str], read_at: int | None = None) -> None:
    """Save a collection's source and the time when it was read, if they changed; without a time that stays."""
    before = stored_source(collection)
    at = read_at if read_at is not None else before.read_at if before else int(time.time())
    now = StoredSource(collection, resolved(root), at, dict(unread))
    if now != before:
        row = (collection, os.fsencode(now.root), at, json.dumps(now.unread))
        with _opened() as connection, writing(connection):
            connection.execute("INSERT OR REPLACE INTO sources VALUES (?, ?, ?, ?)", row)


def mismatch_of(source: DocumentSource) -> SourceMismatch | None:
    """Return what to say if a collection was read from another directory or site than this source's."""
    name, root = source.collection, source.root
    stored = stored_source(name)
    if stored is None or stored.root == resolved(root):
        return None
    here = quote(str(root))
    gone, moved = "", ""
    if isinstance(stored.root, Path) and isinstance(root, Path):
        gone = "" if stored.root.is_dir() else " (which is gone)"
        moved = f"If the directory was moved: `selfrag collections move {name} {here}`; to"
    return SourceMismatch(
        f"The collection {name} was read from {stored.root}{gone}, and what {root} does not hold would be removed from "
        f"it. {moved or 'To'} read another one in its place: `selfrag ingest {here} --collection {name} --replace`."
    )


def resolved(root: Root) -> Root:
    """Return a directory's path without links and dots; an address as it is."""
    return root.resolve() if isinstance(root, Path) else root


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise InvalidInput(f"The collection {name!r} is not a name: use letters, digits, dots, dashes, underscores.")
    return name


@contextmanager
def _opened() -> Iterator[sqlite3.Connection]:
    with closing(connect(SCHEMA)) as connection:
        yield connection


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
