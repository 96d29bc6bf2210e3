"""Brings a collection of the local index in step with a directory, by the workflow that is deployed.

The directory is the bucket, and the manifest says what the index holds of it. Only for documents whose content is not
what the manifest says is the workflow run; with nothing to do, not even the local stack is started.
"""

import fcntl
import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from cli.aws.manifest import KeptManifest, kept_manifest
from cli.files import Files, documents_below
from cli.home import home
from cli.index import NamedEmbedder, embedding_with
from cli.place import Place
from selfrag.documents import EXTENSIONS, BadDocument
from selfrag.errors import InvalidInput
from selfrag.ingestion import IngestionSettings
from selfrag.records import Record

# Called with documents done, documents in all, and what is at work; only if something is to be done.
OnDocument = Callable[[int, int, str], None]

COUNTS = ("added", "changed", "removed", "unchanged", "skipped")
ENVIRONMENT = {"SELFRAG_PASSAGE_INDEX": "cli.index.open_index", "SELFRAG_EMBEDDER": "cli.index.open_embedder"}


class NothingUsable(InvalidInput):
    """A directory holds no document that can be used; what there was of it is gone from the index."""


@dataclass(frozen=True)
class Report:
    """What a `sync` did, in documents; `skipped` counts files of other kinds, `warnings` tells what was not read."""

    added: int
    changed: int
    removed: int
    unchanged: int
    skipped: int
    warnings: list[str]

    def summary(self) -> str:
        """The counts in one line."""
        return ", ".join(f"{getattr(self, count)} {count}" for count in COUNTS)


def sync(
    place: Place,
    on_document: OnDocument = lambda done, total, name: None,
    embedder: NamedEmbedder | None = None,
) -> Report:
    """Bring a place's collection up to date with its directory.

    multilingual-e5-small embeds unless another embedder is given. Several processes may do so at once, for the same
    directory or others. Raises InvalidInput if the directory is missing, NothingUsable if it holds no document that
    can be used.
    """
    with embedding_with(embedder) as embedding, kept_manifest() as kept:
        run = _Sync(place, kept, embedding.name)
        comparison = run.compare()
        if comparison.in_step:
            return run.report(comparison, comparison.before)
        with _alone(place.collection):
            # Another process may have brought it in step while this one waited.
            comparison = run.compare()
            if comparison.in_step:
                return run.report(comparison, comparison.before)
            return run.bring_in_step(comparison, on_document)


@dataclass(frozen=True)
class Comparison:
    """A directory beside the manifest, by path: what was known before, and the files as they are now.

    `todo` are to be ingested, `gone` are known but no files any more; `unread` says why a file cannot be read.
    """

    before: dict[str, Record]
    files: Files
    todo: list[str]
    gone: list[str]
    unread: dict[str, str]

    @property
    def in_step(self) -> bool:
        """Whether nothing is to be done."""
        return not self.todo and not self.gone


class _Sync:
    """One run over one place."""

    def __init__(self, place: Place, kept: KeptManifest, embedder: str) -> None:
        self._place = place
        self._kept = kept
        self._settings = IngestionSettings(pipeline=embedder)

    def compare(self) -> Comparison:
        """Compare the files with the manifest."""
        # Read before the files are: what another process adds meanwhile is then not taken for a file that is gone.
        before = self._records()
        files = documents_below(self._place.source, self._place.collection)
        todo, unread = [], {}
        for path in files.paths:
            content, why = _content(files, path)
            if why:
                unread[path] = why
            if not self._is_settled(before.get(path), content):
                todo.append(path)
        return Comparison(before, files, todo, sorted(before.keys() - set(files.paths)), unread)

    def bring_in_step(self, comparison: Comparison, on_document: OnDocument) -> Report:
        """Run the workflow for all that is not in step; nobody else may do so for the collection meanwhile."""
        # It takes a second to load.
        from cli.aws.ingestion import ingest_objects

        paths, unread = [*comparison.todo, *comparison.gone], dict(comparison.unread)

        def on_passage(done: int, key: str, passage: int) -> None:
            which = f", passage {passage}" if passage > 1 else ""
            on_document(done, len(paths), self._path(key) + which)

        def read(key: str) -> bytes | None:
            path = self._path(key)
            if path in comparison.gone:
                return None
            content, why = _content(comparison.files, path)
            if why:
                unread[path] = why
            return content

        keys = [f"{self._place.collection}/{path}" for path in paths]
        environment = {**ENVIRONMENT, "SELFRAG_PIPELINE": self._settings.pipeline}
        ingest_objects(keys, read, self._kept, environment, on_passage)
        return self.report(replace(comparison, unread=unread), self._records())

    def report(self, comparison: Comparison, after: dict[str, Record]) -> Report:
        """What has changed; raises NothingUsable if the collection holds nothing."""
        files = comparison.files
        warnings = [*files.warnings, *self._warnings(comparison, after)]
        if not any(record.generation for record in after.values()):
            raise NothingUsable(f"{self._place.source} holds no document that can be used: {_reason(files, warnings)}")
        return Report(**_counts(comparison.before, after), skipped=files.skipped, warnings=warnings)

    def _records(self) -> dict[str, Record]:
        return {self._path(key): record for key, record in self._kept.records(self._place.collection).items()}

    def _path(self, key: str) -> str:
        return key.removeprefix(f"{self._place.collection}/")

    def _is_settled(self, record: Record | None, content: bytes | None) -> bool:
        """Whether the manifest says what became of this content of a document, and it would be the same again."""
        if record is None or content is None:
            return record is None and content is None
        final = record.status == "ready" or (record.status == "failed" and _is_about(record))
        return final and record.version == _version(content, self._settings.made_by)

    def _warnings(self, comparison: Comparison, after: dict[str, Record]) -> Iterator[str]:
        for path in comparison.files.paths:
            record = after.get(path)
            if path in comparison.unread:
                yield comparison.unread[path]
            elif record and record.status == "failed":
                yield self._path(record.reason) if _is_about(record) else f"{path}: {record.reason}"
            elif record and path in comparison.todo:
                yield from map(self._path, record.warnings)


def _content(files: Files, path: str) -> tuple[bytes | None, str]:
    """The bytes of a file; None, and why, if it cannot be read."""
    try:
        return files.content(path), ""
    except BadDocument as error:
        return None, str(error)


def _counts(before: dict[str, Record], after: dict[str, Record]) -> dict[str, int]:
    counts = dict.fromkeys(("added", "changed", "removed", "unchanged"), 0)
    for path in before.keys() | after.keys():
        was, now = (known[path].generation if path in known else "" for known in (before, after))
        if was or now:
            counts["unchanged" if was == now else "removed" if not now else "changed" if was else "added"] += 1
    return counts


def _is_about(record: Record) -> bool:
    """Whether a failed document's reason is what it holds: then it begins with its key, and no other try helps."""
    return record.reason.startswith(record.key)


def _version(content: bytes, made_by: str) -> str:
    """What the workflow records as the version of an object: its ETag, and what made its passages."""
    return f'"{hashlib.md5(content, usedforsecurity=False).hexdigest()}" {made_by}'


def _reason(files: Files, warnings: list[str]) -> str:
    if warnings:
        return warnings[0]
    if files.skipped:
        return f"none of its {files.skipped} files is of a kind that is read ({', '.join(sorted(EXTENSIONS))})."
    return "it is empty."


@contextmanager
def _alone(collection: str) -> Iterator[None]:
    """Wait until no other process brings the collection in step; the system frees the lock of one that dies."""
    with (home() / f"{collection}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
