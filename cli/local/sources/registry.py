"""The registry of collections in the home directory: the directory that each was read from."""

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

from cli.local.home import connect, writing
from selfrag.domain.errors import InvalidInput

SCHEMA = """
CREATE TABLE IF NOT EXISTS sources (
    collection TEXT PRIMARY KEY, directory BLOB NOT NULL, read_at INTEGER NOT NULL, unread TEXT NOT NULL);
"""
_PUT = "INSERT OR REPLACE INTO sources VALUES (?, ?, ?, ?)"
# A directory's own collection is called by a hash.
_OWN = re.compile(r"[0-9a-f]{32}")


class AnotherDirectory(InvalidInput):
    """A collection was read from another directory than the one that is to be read into it now."""


@dataclass(frozen=True)
class Source:
    """The directory of a collection, and when something was last read (seconds since the epoch).

    `unread` says why something there could not be read, by its path; no record of the manifest tells of that.
    """

    collection: str
    directory: Path
    read_at: int
    unread: Mapping[str, str]


def source_of(collection: str) -> Source | None:
    """Return the source of a collection; None if nothing of it was ever read, or by an earlier release."""
    return next((source for source in sources() if source.collection == collection), None)


def sources() -> list[Source]:
    """Return the sources of all collections, in the order of their names."""
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


def refuse_another(name: str, directory: Path) -> None:
    """Raise AnotherDirectory if a collection was read from another directory than this one."""
    source = source_of(name)
    if source is None or source.directory == directory.resolve():
        return
    here = quote(str(directory))
    gone = "" if source.directory.is_dir() else " (which is gone)"
    raise AnotherDirectory(
        f"The collection {name} was read from {source.directory}{gone}, and what {directory} does not hold would be "
        f"removed from it. If the directory was moved: `selfrag collections move {name} {here}`; to read another one "
        f"in its place: `selfrag ingest {here} --collection {name} --replace`."
    )


def is_own(collection: str) -> bool:
    """Return whether a collection is a directory's own, without a name that a person gave."""
    return _OWN.fullmatch(collection) is not None


def directory_collection(directory: Path) -> str:
    """Return the name of a directory's own collection, 32 hexadecimal digits.

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
