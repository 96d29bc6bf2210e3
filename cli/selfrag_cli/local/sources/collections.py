"""Collections in the home directory: listing, removal and moves."""

import json
import shutil
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from selfrag.domain.errors import InvalidInput
from selfrag.domain.passages import Passage
from selfrag.retrieval.duplicates import content_of
from selfrag_cli.local.home import connect, hold_lock, open_transaction
from selfrag_cli.local.index import open_embedder
from selfrag_cli.local.index.embedding_cache import CachedEmbedder
from selfrag_cli.local.index.store import SCHEMA as INDEX
from selfrag_cli.local.sources.site import cache_of
from selfrag_cli.local.sources.site.addresses import canonical, is_address
from selfrag_cli.local.sources.source import SCHEMA as SOURCES
from selfrag_cli.local.sources.source import (
    DocumentSource,
    Root,
    check_directory,
    is_own,
    own_collection,
    save_source,
    stored_source,
)
from selfrag_cli.local.stores.manifest import SCHEMA as MANIFEST
from selfrag_cli.local.stores.manifest import LocalManifest

_SCHEMA = MANIFEST + INDEX + SOURCES
_NAMES = "SELECT collection FROM sources UNION SELECT collection FROM kept_documents WHERE collection IS NOT NULL"
# Sizes of display text, search text and vectors, without SQLite's own overhead.
_SIZES = """
SELECT collection, count(*), sum(length(texts.passage) + length(texts.tokens) + coalesce(length(vectors.vector), 0))
FROM passages JOIN texts ON texts.rowid = number LEFT JOIN vectors USING (number) GROUP BY collection
"""
_TEXTS = "SELECT texts.passage FROM passages JOIN texts ON texts.rowid = number WHERE collection = ?"
_FORGET = (
    "DELETE FROM passages WHERE collection = ?",
    "DELETE FROM backfills WHERE collection = ?",
    "DELETE FROM kept_documents WHERE id IN (SELECT id FROM kept_documents WHERE collection = ?)",
    "DELETE FROM sources WHERE collection = ?",
)


class Size(NamedTuple):
    """The number of passages of a collection, and the bytes of their text and vectors."""

    passages: int = 0
    bytes: int = 0


@dataclass(frozen=True)
class StoredCollection:
    """A stored collection; `root` is None if only a question named it.

    `documents` counts indexed documents, `not_read` unreadable ones; `read_at` is the last read in seconds since the
    epoch, 0 if unknown.
    """

    name: str
    root: Root | None
    documents: int
    not_read: int
    size: Size
    read_at: int

    @property
    def kind(self) -> str:
        """Return "named", "own" for a directory's default collection, or "sample" for the handbook's."""
        if not is_own(self.name):
            return "named"
        return "sample" if isinstance(self.root, Path) and DocumentSource(self.name, self.root).is_sample else "own"


def stored_collections() -> list[StoredCollection]:
    """Return all collections, named ones first."""
    with closing(connect(_SCHEMA)) as connection:
        manifest, sizes = LocalManifest(connection), {name: Size(*size) for name, *size in connection.execute(_SIZES)}
        names = [name for (name,) in connection.execute(_NAMES)]
        entries = [_entry(name, manifest, sizes.get(name, Size())) for name in names]
    return sorted(entries, key=lambda entry: (entry.kind != "named", str(entry.root or ""), entry.name))


def stored_collection(name: str) -> StoredCollection:
    """Return a collection by its name, directory or site; raises InvalidInput if there is none."""
    entries = {entry.name: entry for entry in stored_collections()}
    own = own_collection(canonical(name) if is_address(name) else Path(name))
    entry = entries.get(name) or entries.get(own)
    if entry is None:
        raise InvalidInput(f"There is no collection {name!r}, and no directory or site of this name was read.")
    return entry


def remove_collection(entry: StoredCollection, embedder: CachedEmbedder | None = None) -> None:
    """Remove a collection's passages, vectors, records and source; files are not touched.

    The vectors are multilingual-e5-small's unless another embedder is given. Other collections with the same text only
    lose time on reingestion.
    """
    # Opened first, since it may write to the same file.
    key = (embedder or open_embedder()).key
    with hold_lock(entry.name), closing(connect(_SCHEMA)) as connection, open_transaction(connection):
        rows = connection.execute(_TEXTS, (entry.name,))
        keys = [key(content_of(Passage.model_validate_json(shown, extra="ignore"))) for (shown,) in rows]
        connection.execute("DELETE FROM embeddings WHERE key IN (SELECT value FROM json_each(?))", (json.dumps(keys),))
        for statement in _FORGET:
            connection.execute(statement, (entry.name,))
        shutil.rmtree(cache_of(entry.name), ignore_errors=True)


def move_collection(entry: StoredCollection, directory: Path) -> None:
    """Record the new directory of a collection without reading it.

    Raises InvalidInput for an invalid directory, one with another collection, and for sites.
    """
    check_directory(directory)
    if isinstance(entry.root, str):
        raise InvalidInput(f"{entry.root} is a site, which cannot be moved to a directory: ingest that by itself.")
    own = own_collection(directory)
    if is_own(entry.name) and own != entry.name and any(other.name == own for other in stored_collections()):
        raise InvalidInput(
            f"{directory} has been read already, into a collection of its own: remove that first, with "
            f"`selfrag collections remove {directory}`."
        )
    source = stored_source(entry.name)
    with hold_lock(entry.name):
        save_source(entry.name, directory, source.unread if source else {}, read_at=entry.read_at)


def _entry(name: str, manifest: LocalManifest, size: Size) -> StoredCollection:
    source, records = stored_source(name), list(manifest.records(name).values())
    ready = sum(bool(record.generation) for record in records)
    return StoredCollection(
        name=name,
        root=source.root if source else None,
        documents=ready,
        not_read=len(records) - ready + len(source.unread if source else {}),
        size=size,
        read_at=source.read_at if source else max((record.updated_at for record in records), default=0),
    )
