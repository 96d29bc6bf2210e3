"""Brings a collection of the local index in step with a directory, by the workflow that is deployed.

The directory is the bucket, and the manifest says what the index holds of it. Only for documents whose content is not
what the manifest says is the workflow run; with nothing to do, not even the local stack is started.
"""

import fcntl
import hashlib
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from cli.local.aws.manifest import KeptManifest, kept_manifest
from cli.local.files import Files, documents_below
from cli.local.home import home
from cli.local.index import KeptEmbedder, NamedEmbedder, collection_of, embedding_with, open_index
from selfrag.bootstrap import Parts
from selfrag.domain.documents import EXTENSIONS
from selfrag.domain.errors import BadDocument, InvalidInput
from selfrag.domain.records import Record
from selfrag.runtime.settings import IngestionSettings

# Called with documents done, documents in all, and what is at work; only if something is to be done.
Progress = Callable[[int, int, str], None]

COUNTS = ("added", "changed", "removed", "unchanged", "skipped")
_COLLECTION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")


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
    directory: Path,
    progress: Progress = lambda done, total, name: None,
    embedder: NamedEmbedder | None = None,
    collection: str = "",
) -> Report:
    """Bring a collection, by default the directory's own, up to date with the directory.

    multilingual-e5-small embeds unless another embedder is given. Several processes may do so at once, for the same
    directory or others. Raises InvalidInput if the directory is missing, NothingUsable if it holds no document that
    can be used.
    """
    chosen = checked_collection(collection) or collection_of(directory)
    with embedding_with(embedder) as embedding, kept_manifest() as kept:
        run = _Sync(directory, chosen, kept, embedding, progress)
        if run.is_in_step():
            return run.report()
        with _alone(chosen):
            run.bring_in_step()
            return run.report()


def checked_collection(name: str) -> str:
    """The name of a collection as it was given, which may be none; raises InvalidInput for one that is no name."""
    if name and not _COLLECTION.fullmatch(name):
        raise InvalidInput(f"The collection {name!r} is not a name: use letters, digits, dots, dashes, underscores.")
    return name


class _Sync:
    """One run over one directory."""

    def __init__(
        self, directory: Path, collection: str, kept: KeptManifest, embedder: KeptEmbedder, progress: Progress
    ) -> None:
        self._directory = directory
        self._collection = collection
        self._kept = kept
        self._embedder = embedder
        self._settings = IngestionSettings(pipeline=embedder.name)
        self._progress = progress

    def is_in_step(self) -> bool:
        """Compare the files with the manifest; false if there is something to do."""
        # Read before the files are: what another process adds meanwhile is then not taken for a file that is gone.
        self._before = self._after = self._records()
        self._files = documents_below(self._directory, self._collection)
        self._unread: dict[str, str] = {}
        self._todo = [path for path in self._files.paths if not self._is_settled(path)]
        self._gone = sorted(self._before.keys() - set(self._files.paths))
        return not self._todo and not self._gone

    def bring_in_step(self) -> None:
        """Run the workflow for all that is not in step; nobody else may do so for the collection meanwhile."""
        if self.is_in_step():
            return
        # It takes a second to load.
        from cli.local.aws.ingestion import ingest_objects

        total = len(self._todo) + len(self._gone)

        def progress(done: int, key: str, passage: int) -> None:
            place = f", passage {passage}" if passage > 1 else ""
            self._progress(done, total, self._path(key) + place)

        keys = [f"{self._collection}/{path}" for path in (*self._todo, *self._gone)]
        environment = {"SELFRAG_PIPELINE": self._settings.pipeline}
        parts: Parts = {"index": open_index(), "embedder": self._embedder}
        ingest_objects(keys, self._object, self._kept, environment, parts, progress)
        self._after = self._records()

    def report(self) -> Report:
        """What has changed; raises NothingUsable if the collection holds nothing."""
        warnings = [*self._files.warnings, *self._warnings()]
        if not any(record.generation for record in self._after.values()):
            raise NothingUsable(
                f"{self._directory} holds no document that can be used: {_reason(self._files, warnings)}"
            )
        return Report(**self._counts(), skipped=self._files.skipped, warnings=warnings)

    def _records(self) -> dict[str, Record]:
        return {self._path(key): record for key, record in self._kept.records(self._collection).items()}

    def _path(self, key: str) -> str:
        return key.removeprefix(f"{self._collection}/")

    def _is_settled(self, path: str) -> bool:
        """Whether the manifest says what became of this content of a document, and it would be the same again."""
        record, content = self._before.get(path), self._content(path)
        if record is None or content is None:
            return record is None and content is None
        final = record.status == "ready" or (record.status == "failed" and _is_about(record))
        return final and record.version == _version(content, self._settings.made_by)

    def _object(self, key: str) -> bytes | None:
        path = self._path(key)
        return None if path in self._gone else self._content(path)

    def _content(self, path: str) -> bytes | None:
        """The bytes of a file; None, with a warning, if it cannot be read."""
        try:
            return self._files.content(path)
        except BadDocument as error:
            self._unread[path] = str(error)
            return None

    def _counts(self) -> dict[str, int]:
        counts = dict.fromkeys(("added", "changed", "removed", "unchanged"), 0)
        for path in self._before.keys() | self._after.keys():
            was, now = (known[path].generation if path in known else "" for known in (self._before, self._after))
            if was or now:
                counts["unchanged" if was == now else "removed" if not now else "changed" if was else "added"] += 1
        return counts

    def _warnings(self) -> Iterator[str]:
        for path in self._files.paths:
            record = self._after.get(path)
            if path in self._unread:
                yield self._unread[path]
            elif record and record.status == "failed":
                yield self._path(record.reason) if _is_about(record) else f"{path}: {record.reason}"
            elif record and path in self._todo:
                yield from map(self._path, record.warnings)


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
