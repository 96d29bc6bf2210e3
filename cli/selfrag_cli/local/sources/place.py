"""Places: a collection and the directory or site that it is read from, as the home remembers it."""

import hashlib
import json
import os
import re
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from urllib.parse import urlsplit

from selfrag.domain.errors import InvalidInput
from selfrag_cli.local.home import connect, writing
from selfrag_cli.local.sources.site.addresses import canonical, is_address
from selfrag_cli.sample import HANDBOOK

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")
SCHEMA = """
CREATE TABLE IF NOT EXISTS sources (
    collection TEXT PRIMARY KEY, directory BLOB NOT NULL, read_at INTEGER NOT NULL, unread TEXT NOT NULL);
"""
_PUT = "INSERT OR REPLACE INTO sources VALUES (?, ?, ?, ?)"
# A directory's own collection is called after it, with a tilde, which no name that is given has.
_OWN = re.compile(r".+~[0-9a-f]{8}")

# A directory, or the address of a site's first page.
Root = Path | str


@dataclass(frozen=True)
class CollectionSource:
    """The directory or site of a collection, and when something was last read (seconds since the epoch).

    `unread` says why something there could not be read, by its path; no record of the manifest tells of that.
    """

    collection: str
    root: Root
    read_at: int
    unread: Mapping[str, str]


def source_of(collection: str) -> CollectionSource | None:
    """Return the source of a collection; None if nothing of it was ever read."""
    return next((source for source in sources() if source.collection == collection), None)


def sources() -> list[CollectionSource]:
    """Return the sources of all collections, in the order of their names."""
    with _opened() as connection:
        rows = connection.execute("SELECT * FROM sources ORDER BY collection").fetchall()
    return [
        CollectionSource(name, _root(os.fsdecode(at)), read_at, json.loads(unread))
        for name, at, read_at, unread in rows
    ]


def remember(collection: str, root: Root, unread: Mapping[str, str], read_at: int | None = None) -> None:
    """Remember where a collection is read from, and when something was, if that is not as it is remembered.

    Without `read_at` nothing was read just now.
    """
    before = source_of(collection)
    at = read_at if read_at is not None else before.read_at if before else int(time.time())
    now = CollectionSource(collection, resolved(root), at, dict(unread))
    if now != before:
        row = (collection, os.fsencode(now.root), at, json.dumps(now.unread))
        with _opened() as connection, writing(connection):
            connection.execute(_PUT, row)


def is_own(collection: str) -> bool:
    """Return whether a collection is a directory's own, without a name that a person gave."""
    return _OWN.fullmatch(collection) is not None


def directory_collection(directory: Path) -> str:
    """Return the name of a directory's own collection: its last name, and digits that no other directory has.

    It is the one that was read from this directory or moved to it, if there is one.
    """
    path, others = directory.resolve(), sources()
    for source in others:
        if is_own(source.collection) and source.root == path:
            return source.collection
    taken, name = {source.collection for source in others}, _own(path.name, os.fsencode(path))
    while name in taken:
        name = _own(path.name, name.encode() + os.fsencode(path))
    return name


def site_collection(address: str) -> str:
    """Return the name of a site's own collection: its host, and digits that no other address has."""
    names = (source.collection for source in sources() if is_own(source.collection) and source.root == address)
    return next(names, None) or _own(urlsplit(address).netloc, address.encode())


def _root(at: str) -> Root:
    return at if is_address(at) else Path(at)


def resolved(root: Root) -> Root:
    """Return a directory's path without links and dots; an address as it is."""
    return root.resolve() if isinstance(root, Path) else root


def _own(name: str, value: bytes) -> str:
    readable = re.sub(r"[^\w.-]+", "-", name).strip("-.")[:40] or "documents"
    return f"{readable}~{hashlib.sha256(value).hexdigest()[:8]}"


@contextmanager
def _opened() -> Iterator[sqlite3.Connection]:
    with closing(connect(SCHEMA)) as connection:
        yield connection


class AnotherDirectory(InvalidInput):
    """A collection was read from another directory or site than the one that is to be read into it now."""


@dataclass(frozen=True)
class Place:
    """A collection, and its directory; None for one that is looked at as it was ingested.

    `site` is the address of the site that it is read from, "" if it is none; only `selfrag ingest` asks a site.
    """

    collection: str
    directory: Path | None = None
    site: str = ""

    @property
    def is_sample(self) -> bool:
        """Return whether it is the sample handbook."""
        return self.directory is not None and self.directory.resolve() == HANDBOOK.resolve()

    @property
    def source(self) -> Path:
        """Return the directory; raises InvalidInput if there is none to read from."""
        if self.directory is None:
            raise InvalidInput(f"The collection {self.collection} has no directory here: name one with --docs.")
        return self.directory

    @property
    def root(self) -> Root:
        """Return the site, else the directory; raises InvalidInput if there is none to read from."""
        return self.site or self.source

    def path_of(self, key: str) -> str:
        """Return the path in the directory of a document's key, which begins with the collection; so may a sentence."""
        return key.removeprefix(f"{self.collection}/")

    def __str__(self) -> str:
        """Return what a person calls it."""
        return self.site or (f"the collection {self.collection}" if self.directory is None else str(self.directory))


def place_to_ask(docs: Root | None, collection: str) -> Place:
    """Either a named collection or a directory or site, by default the sample handbook; raises InvalidInput for both.

    A site is asked as it was ingested.
    """
    if not collection:
        return place_to_read(docs)
    if docs:
        raise InvalidInput("A named collection is looked at as it was ingested: leave out --docs or --collection.")
    return Place(_checked(collection))


def place_to_read(docs: Root | None, collection: str = "") -> Place:
    """Return a directory or a site, by default the sample handbook, and the collection that it is read into.

    That is its own, unless one is named. Raises InvalidInput for a directory, an address or a name that is none.
    """
    if isinstance(docs, str) and is_address(docs):
        site = canonical(docs)
        return Place(_checked(collection) if collection else site_collection(site), site=site)
    chosen = Path(docs or HANDBOOK)
    check_directory(chosen)
    return Place(_checked(collection) if collection else directory_collection(chosen), chosen)


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise InvalidInput(f"The collection {name!r} is not a name: use letters, digits, dots, dashes, underscores.")
    return name


def check_directory(directory: Path) -> None:
    """Raise InvalidInput for a directory that is none."""
    if not os.path.isdir(directory):
        raise InvalidInput(f"{directory} {'is not a directory' if os.path.exists(directory) else 'does not exist'}.")


def refuse_another(place: Place) -> None:
    """Raise AnotherDirectory if a place's collection was read from another directory or site than the place's."""
    name, root = place.collection, place.root
    source = source_of(name)
    if source is None or source.root == resolved(root):
        return
    here = quote(str(root))
    gone, moved = "", ""
    if isinstance(source.root, Path) and isinstance(root, Path):
        gone = "" if source.root.is_dir() else " (which is gone)"
        moved = f"If the directory was moved: `selfrag collections move {name} {here}`; to"
    raise AnotherDirectory(
        f"The collection {name} was read from {source.root}{gone}, and what {root} does not hold would be removed from "
        f"it. {moved or 'To'} read another one in its place: `selfrag ingest {here} --collection {name} --replace`."
    )
