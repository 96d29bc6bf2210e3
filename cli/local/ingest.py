"""Brings a collection of the local index in step with a directory, by the workflow that is deployed.

The directory is the bucket, and the manifest says what the index holds of it. Only for documents whose content is not
what the manifest says is the workflow run; with nothing to do, not even the local stack is started.
"""

import fcntl
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import accumulate

from cli.local.aws.manifest import KeptManifest, kept_manifest
from cli.local.comparison import Comparison, compare, content_of, is_about, records_by_path
from cli.local.files import Files
from cli.local.home import home
from cli.local.index import KeptEmbedder, NamedEmbedder, embedding_with, open_index
from cli.local.place import Place
from cli.local.recognition.tesseract import program
from cli.pace import Reading
from selfrag.bootstrap import Parts
from selfrag.domain.documents import EXTENSIONS
from selfrag.domain.errors import InvalidInput
from selfrag.domain.records import Record
from selfrag.runtime.settings import IngestionSettings

# Called with how far it is; only if something is to be done.
OnDocument = Callable[[Reading], None]
# What a document takes beside what it holds, in bytes of text: a workflow is run for it.
_EACH = 500

COUNTS = ("added", "changed", "removed", "unchanged", "skipped")


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


def sync(place: Place, on_document: OnDocument = lambda reading: None, embedder: NamedEmbedder | None = None) -> Report:
    """Bring a place's collection up to date with its directory.

    multilingual-e5-small embeds unless another embedder is given. Several processes may do so at once, for the same
    directory or others. Raises InvalidInput if the directory is missing, NothingUsable if it holds no document that
    can be used.
    """
    with embedding_with(embedder) as embedding, kept_manifest() as kept:
        made_by = IngestionSettings(pipeline=_pipeline(embedding)).made_by
        comparison = compare(place, kept, made_by)
        if comparison.in_step:
            return _report(place, comparison, comparison.before)
        with _alone(place.collection):
            # Another process may have brought it in step while this one waited.
            comparison = compare(place, kept, made_by)
            if comparison.in_step:
                return _report(place, comparison, comparison.before)
            unread = _ingest(place, comparison, kept, embedding, on_document)
            return _report(place, replace(comparison, unread=unread), records_by_path(place, kept))


def _ingest(
    place: Place, comparison: Comparison, kept: KeptManifest, embedding: KeptEmbedder, on_document: OnDocument
) -> dict[str, str]:
    """Run the workflow for all that is not in step; gives why files cannot be read, by path."""
    # They take a second to load.
    from cli.local.aws.ingestion import ingest_objects
    from cli.local.recognition.local import local_recognizer

    paths, unread = [*comparison.todo, *comparison.gone], dict(comparison.unread)
    # Documents are begun in this order, so the first ones are those that are done, or nearly so.
    upto = [0, *accumulate(_EACH + comparison.files.size(path) for path in paths)]
    before = embedding.asked

    def on_passage(done: int, key: str, passage: int) -> None:
        name = place.path_of(key) + (f", passage {passage}" if passage > 1 else "")
        on_document(Reading(done, len(paths), name, embedding.asked - before, upto[done] / upto[-1]))

    def read(key: str) -> bytes | None:
        path = place.path_of(key)
        if path in comparison.gone:
            return None
        content, why = content_of(comparison.files, path)
        if why:
            unread[path] = why
        return content

    keys = [f"{place.collection}/{path}" for path in paths]
    with local_recognizer() as recognizer:
        parts: Parts = {"index": open_index(), "embedder": embedding, "recognizer": recognizer}
        ingest_objects(keys, read, kept, {"SELFRAG_PIPELINE": _pipeline(embedding)}, parts, on_passage)
    return unread


def _pipeline(embedding: KeptEmbedder) -> str:
    """What passages depend on beside the files: what embeds them, and whether pictures of pages are read."""
    return f"{embedding.name} tesseract" if program() else embedding.name


def _report(place: Place, comparison: Comparison, after: Mapping[str, Record]) -> Report:
    """What has changed; raises NothingUsable if the collection holds nothing."""
    files = comparison.files
    warnings = [*files.warnings, *_warnings(place, comparison, after)]
    if not any(record.generation for record in after.values()):
        raise NothingUsable(f"{place.source} holds no document that can be used: {_reason(files, warnings)}")
    return Report(**_counts(comparison.before, after), skipped=files.skipped, warnings=warnings)


def _warnings(place: Place, comparison: Comparison, after: Mapping[str, Record]) -> Iterator[str]:
    for path in comparison.files.paths:
        record = after.get(path)
        if path in comparison.unread:
            yield comparison.unread[path]
        elif record and record.status == "failed":
            yield place.path_of(record.reason) if is_about(record) else f"{path}: {record.reason}"
        elif record and path in comparison.todo:
            yield from map(place.path_of, record.warnings)


def _counts(before: Mapping[str, Record], after: Mapping[str, Record]) -> dict[str, int]:
    counts = dict.fromkeys(("added", "changed", "removed", "unchanged"), 0)
    for path in before.keys() | after.keys():
        was, now = (known[path].generation if path in known else "" for known in (before, after))
        if was or now:
            counts["unchanged" if was == now else "removed" if not now else "changed" if was else "added"] += 1
    return counts


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
