"""Sources: a collection, its directory or site as stored in the home, and its files."""

import hashlib
import json
import os
import re
import stat
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from shlex import quote
from urllib.parse import urlsplit

from selfrag.domain.documents import MAX_DOCUMENT_BYTES
from selfrag.domain.errors import BadDocument, InvalidInput
from selfrag.domain.fields import MAX_KEY_BYTES
from selfrag.domain.kinds import EXTENSIONS, is_lock_file
from selfrag_cli.local.home import connect, open_transaction
from selfrag_cli.local.sources.site.addresses import canonical, is_address
from selfrag_cli.sample import HANDBOOK

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")
SCHEMA = """
CREATE TABLE IF NOT EXISTS sources (
    collection TEXT PRIMARY KEY, directory BLOB NOT NULL, read_at INTEGER NOT NULL, unread TEXT NOT NULL);
"""
# Default collection names contain a tilde, which given names cannot.
_OWN = re.compile(r".+~[0-9a-f]{8}")

# A directory or the address of a site's first page.
Root = Path | str


class SourceMismatch(InvalidInput):
    """The collection already belongs to another source."""


@dataclass(frozen=True)
class DocumentSource:
    """A collection with its directory or `site`; neither if it is used as stored.

    Only `selfrag ingest` fetches a site.
    """

    collection: str
    directory: Path | None = None
    site: str = ""

    @property
    def is_sample(self) -> bool:
        """Return whether this is the sample handbook."""
        return self.directory is not None and self.directory.resolve() == HANDBOOK.resolve()

    @property
    def required_directory(self) -> Path:
        """Return the directory; raises InvalidInput without one."""
        if self.directory is None:
            raise InvalidInput(f"The collection {self.collection} has no directory here: name one with --docs.")
        return self.directory

    @property
    def root(self) -> Root:
        """Return the site or directory; raises InvalidInput without either."""
        return self.site or self.required_directory

    def path_of(self, key: str) -> str:
        """Return the path of a document's key, without the collection; also at the start of a sentence."""
        return key.removeprefix(f"{self.collection}/")

    def __str__(self) -> str:
        """Return the display name."""
        return self.site or (f"the collection {self.collection}" if self.directory is None else str(self.directory))


@dataclass(frozen=True)
class StoredSource:
    """The last source of a collection, and its read time (seconds since the epoch).

    `unread` has reasons by path for files that the manifest does not record.
    """

    collection: str
    root: Root
    read_at: int
    unread: Mapping[str, str]


def source_to_ask(docs: Root | None, collection: str) -> DocumentSource:
    """Return a named collection, directory or site, by default the sample; raises InvalidInput for both.

    A site is used as it was ingested.
    """
    if not collection:
        return source_to_read(docs)
    if docs:
        raise InvalidInput("A named collection is looked at as it was ingested: leave out --docs or --collection.")
    return DocumentSource(_check_name(collection))


def source_to_read(docs: Root | None, collection: str = "") -> DocumentSource:
    """Return a directory or site, by default the sample, with its target collection.

    By default, this is the source's own collection. Raises InvalidInput for an invalid directory, address or name.
    """
    if isinstance(docs, str) and is_address(docs):
        site = canonical(docs)
        return DocumentSource(_check_name(collection) if collection else own_collection(site), site=site)
    directory = Path(docs or HANDBOOK)
    check_directory(directory)
    return DocumentSource(_check_name(collection) if collection else own_collection(directory), directory)


def check_directory(directory: Path) -> None:
    """Raise InvalidInput if a path is not a directory."""
    if not os.path.isdir(directory):
        raise InvalidInput(f"{directory} {'is not a directory' if os.path.exists(directory) else 'does not exist'}.")


def own_collection(root: Root) -> str:
    """Return a source's default collection: its last name or host with a hash.

    An existing collection of this directory, perhaps moved, takes precedence.
    """
    root, others = resolve(root), stored_sources()
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
    """Return whether a collection has a default name."""
    return _OWN.fullmatch(collection) is not None


def stored_source(collection: str) -> StoredSource | None:
    """Return a collection's source, None if it was never read."""
    return next((source for source in stored_sources() if source.collection == collection), None)


def stored_sources() -> list[StoredSource]:
    """Return all sources by collection name."""
    with closing(connect(SCHEMA)) as connection:
        rows = connection.execute("SELECT * FROM sources ORDER BY collection").fetchall()
    roots = [(name, os.fsdecode(root), *rest) for name, root, *rest in rows]
    return [
        StoredSource(name, root if is_address(root) else Path(root), read_at, json.loads(unread))
        for name, root, read_at, unread in roots
    ]


def save_source(collection: str, root: Root, unread: Mapping[str, str], read_at: int | None = None) -> None:
    """Save a collection's source and read time if they changed; without a time, that stays."""
    before = stored_source(collection)
    at = read_at if read_at is not None else before.read_at if before else int(time.time())
    now = StoredSource(collection, resolve(root), at, dict(unread))
    if now != before:
        row = (collection, os.fsencode(now.root), at, json.dumps(now.unread))
        with closing(connect(SCHEMA)) as connection, open_transaction(connection):
            connection.execute("INSERT OR REPLACE INTO sources VALUES (?, ?, ?, ?)", row)


def mismatch_of(source: DocumentSource) -> SourceMismatch | None:
    """Return the mismatch if a collection belongs to another source."""
    name, root = source.collection, source.root
    stored = stored_source(name)
    if stored is None or stored.root == resolve(root):
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


def resolve(root: Root) -> Root:
    """Resolve links and dots of a directory; addresses stay unchanged."""
    return root.resolve() if isinstance(root, Path) else root


def _check_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise InvalidInput(f"The collection {name!r} is not a name: use letters, digits, dots, dashes, underscores.")
    return name


@dataclass
class Files:
    """Documents of a directory or site in order, and counts of other files.

    `content` returns the bytes of a path, at most one more than allowed, or raises BadDocument. `metadata` by path is
    like that of a bucket's objects. `paths` use slashes, or are addresses. `others` counts unsupported kinds by
    extension, `links` the links, `empty` lists empty folders, and `unread` has reasons by path. `notes` are general
    sentences, and `summary` describes the discovery, or "".
    """

    content: Callable[[str], bytes]
    metadata: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    paths: list[str] = field(default_factory=list)
    others: Counter[str] = field(default_factory=Counter)
    links: int = 0
    unread: dict[str, str] = field(default_factory=dict)
    empty: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    summary: str = ""


def documents_below(directory: Path, collection: str) -> Files:
    """Find the documents below a directory, skipping links, and hidden and lock files, which are not counted.

    A link leads outside, or to a file that is read under its real name. Raises InvalidInput if the path is not a
    directory.
    """
    check_directory(directory)

    def content(path: str) -> bytes:
        try:
            with (directory / path).open("rb") as opened:
                return opened.read(MAX_DOCUMENT_BYTES + 1)
        except OSError as error:
            raise BadDocument(f"{path} cannot be read: {error.strerror}.") from error

    files = Files(content)
    most = MAX_KEY_BYTES - len(f"{collection}/".encode())

    def cannot_list(error: OSError) -> None:
        # An interrupted listing has no folder name.
        path = _format_path(Path(error.filename or directory).relative_to(directory))
        files.unread[path] = f"{directory if path == '.' else path} cannot be read: {error.strerror}."

    for folder, folders, names in os.walk(directory, onerror=cannot_list):
        if not folders and not names:
            files.empty.append(_format_path(Path(folder).relative_to(directory)))
        folders[:] = [name for name in folders if not name.startswith(".")]
        files.links += sum(os.path.islink(os.path.join(folder, name)) for name in folders)
        for name in names:
            if not name.startswith(".") and not is_lock_file(name):
                _add(files, directory, Path(folder, name), most)
    files.paths.sort()
    return files


def _add(files: Files, directory: Path, file: Path, most: int) -> None:
    path = file.relative_to(directory)
    shown = _format_path(path)
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


def _format_path(path: Path) -> str:
    """Return a path with slashes, replacing invalid UTF-8."""
    return path.as_posix().encode(errors="replace").decode()
