"""The sources of collections: the directory or the site that each is read from, as the home remembers it."""

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
from urllib.parse import urlsplit

from selfrag_cli.local.home import connect, writing
from selfrag_cli.local.sources.site.addresses import is_address

SCHEMA = """
CREATE TABLE IF NOT EXISTS sources (
    collection TEXT PRIMARY KEY, directory BLOB NOT NULL, read_at INTEGER NOT NULL, unread TEXT NOT NULL);
"""
_PUT = "INSERT OR REPLACE INTO sources VALUES (?, ?, ?, ?)"
# A directory's own collection is called after it, with a tilde, which no name that is given has; once by a hash alone.
_OWN = re.compile(r".+~[0-9a-f]{8}|[0-9a-f]{32}")

# A directory, or the address of a site's first page.
Root = Path | str


@dataclass(frozen=True)
class Source:
    """The directory or site of a collection, and when something was last read (seconds since the epoch).

    `unread` says why something there could not be read, by its path; no record of the manifest tells of that.
    """

    collection: str
    root: Root
    read_at: int
    unread: Mapping[str, str]


def source_of(collection: str) -> Source | None:
    """Return the source of a collection; None if nothing of it was ever read."""
    return next((source for source in sources() if source.collection == collection), None)


def sources() -> list[Source]:
    """Return the sources of all collections, in the order of their names."""
    with _opened() as connection:
        rows = connection.execute("SELECT * FROM sources ORDER BY collection").fetchall()
    return [Source(name, _root(os.fsdecode(at)), read_at, json.loads(unread)) for name, at, read_at, unread in rows]


def remember(collection: str, root: Root, unread: Mapping[str, str], read_at: int | None = None) -> None:
    """Remember where a collection is read from, and when something was, if that is not as it is remembered.

    Without `read_at` nothing was read just now.
    """
    known = source_of(collection)
    at = read_at if read_at is not None else known.read_at if known else int(time.time())
    wanted = Source(collection, resolved(root), at, dict(unread))
    if wanted != known:
        row = (collection, os.fsencode(wanted.root), at, json.dumps(wanted.unread))
        with _opened() as connection, writing(connection):
            connection.execute(_PUT, row)


def is_own(collection: str) -> bool:
    """Return whether a collection is a directory's own, without a name that a person gave."""
    return _OWN.fullmatch(collection) is not None


def directory_collection(directory: Path) -> str:
    """Return the name of a directory's own collection: its last name, and digits that no other directory has.

    It is the one that was read from this directory or moved to it, if there is one.
    """
    wanted, known = directory.resolve(), sources()
    for source in known:
        if is_own(source.collection) and source.root == wanted:
            return source.collection
    taken, name = {source.collection for source in known}, _own(wanted.name, os.fsencode(wanted))
    while name in taken:
        name = _own(wanted.name, name.encode() + os.fsencode(wanted))
    return name


def site_collection(address: str) -> str:
    """Return the name of a site's own collection: its host, and digits that no other address has."""
    known = next((one.collection for one in sources() if is_own(one.collection) and one.root == address), None)
    return known or _own(urlsplit(address).netloc, address.encode())


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
