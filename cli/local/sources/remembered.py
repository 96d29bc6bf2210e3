"""The directory that each collection was read from, remembered in the home directory."""

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

from cli.local.home import connect, writing

SCHEMA = """
CREATE TABLE IF NOT EXISTS sources (
    collection TEXT PRIMARY KEY, directory BLOB NOT NULL, read_at INTEGER NOT NULL, unread TEXT NOT NULL);
"""
_PUT = "INSERT OR REPLACE INTO sources VALUES (?, ?, ?, ?)"
# A directory's own collection is called by a hash.
_OWN = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True)
class Source:
    """Where a collection was read from, and when something was last read (seconds since the epoch).

    `unread` says why something there could not be read, by its path; no record of the manifest tells of that.
    """

    collection: str
    directory: Path
    read_at: int
    unread: Mapping[str, str]


def source_of(collection: str) -> Source | None:
    """What is remembered of a collection; None if nothing of it was ever read, or by an earlier release."""
    return next((source for source in sources() if source.collection == collection), None)


def sources() -> list[Source]:
    """What is remembered of all collections, in the order of their names."""
    with _opened() as connection:
        rows = connection.execute("SELECT * FROM sources ORDER BY collection").fetchall()
    return [Source(name, Path(os.fsdecode(at)), read_at, json.loads(unread)) for name, at, read_at, unread in rows]


def remember(collection: str, directory: Path, unread: Mapping[str, str], read_at: int | None = None) -> None:
    """Remember where a collection is read from, and when something was, if that is not as it is remembered.

    Without `read_at` nothing was read just now.
    """
    known = source_of(collection)
    at = read_at if read_at is not None else known.read_at if known else int(time.time())
    wanted = Source(collection, directory.resolve(), at, dict(unread))
    if wanted != known:
        row = (collection, os.fsencode(wanted.directory), at, json.dumps(wanted.unread))
        with _opened() as connection, writing(connection):
            connection.execute(_PUT, row)


def is_own(collection: str) -> bool:
    """Whether a collection is a directory's own, which nobody has named."""
    return _OWN.fullmatch(collection) is not None


def directory_collection(directory: Path) -> str:
    """The collection of a directory's own, 32 hexadecimal digits.

    It is the one that was moved to this directory, else a hash of the absolute path that no other directory has.
    """
    wanted, known = directory.resolve(), sources()
    for source in known:
        if is_own(source.collection) and source.directory == wanted:
            return source.collection
    taken, name = {source.collection for source in known}, _hash(os.fsencode(wanted))
    while name in taken:
        name = _hash(name.encode() + os.fsencode(wanted))
    return name


def _hash(value: bytes) -> str:
    return hashlib.sha256(value).hexdigest()[:32]


@contextmanager
def _opened() -> Iterator[sqlite3.Connection]:
    with closing(connect(SCHEMA)) as connection:
        yield connection
