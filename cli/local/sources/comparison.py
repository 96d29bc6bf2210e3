"""A directory beside the manifest: what is to be ingested, and what is gone."""

import hashlib
from dataclasses import dataclass

from cli.local.place import Place
from cli.local.sources.files import Files, documents_below
from cli.local.stores.manifest import LocalManifest
from selfrag.domain.errors import BadDocument
from selfrag.domain.records import Record


@dataclass(frozen=True)
class Comparison:
    """The records of each path before, and the files as they are now.

    `todo` are to be ingested, `gone` are known but no files any more; `unread` says why something cannot be read.
    """

    before: dict[str, Record]
    files: Files
    todo: list[str]
    gone: list[str]
    unread: dict[str, str]

    @property
    def in_step(self) -> bool:
        """Return whether nothing is to be done."""
        return not self.todo and not self.gone


def compare(place: Place, manifest: LocalManifest, made_by: str) -> Comparison:
    """Compare a place's files with the manifest; `made_by` is what passages depend on beside the content."""
    # Read before the files are: what another process adds meanwhile is then not taken for a file that is gone.
    before = records_by_path(place, manifest)
    files = documents_below(place.source, place.collection)
    todo, unread = [], dict(files.unread)
    for path in files.paths:
        content, why = content_of(files, path)
        if why:
            unread[path] = why
        if not _is_settled(before.get(path), content, made_by):
            todo.append(path)
    return Comparison(before, files, todo, sorted(before.keys() - set(files.paths)), unread)


def records_by_path(place: Place, manifest: LocalManifest) -> dict[str, Record]:
    """Return the manifest's record of each document of a place, by its path in the directory."""
    return {place.path_of(key): record for key, record in manifest.records(place.collection).items()}


def content_of(files: Files, path: str) -> tuple[bytes | None, str]:
    """Return the bytes of a file and ""; None and the reason if it cannot be read."""
    try:
        return files.content(path), ""
    except BadDocument as error:
        return None, str(error)


def is_about(record: Record) -> bool:
    """Return whether a document failed for what it holds: its reason begins with its key, and no retry helps."""
    return record.reason.startswith(record.key)


def _is_settled(record: Record | None, content: bytes | None, made_by: str) -> bool:
    """Return whether the manifest says what became of this content, and it would be the same again."""
    if record is None or content is None:
        return record is None and content is None
    final = record.status == "ready" or (record.status == "failed" and is_about(record))
    return final and record.version == _version(content, made_by)


def _version(content: bytes, made_by: str) -> str:
    """Return the version that the workflow records for an object: its ETag, and what made its passages."""
    return f'"{hashlib.md5(content, usedforsecurity=False).hexdigest()}" {made_by}'
