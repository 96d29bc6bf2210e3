"""Brings a collection of the local index in step with a directory, by the workflow that is deployed.

The directory is the bucket, and the manifest says what the index holds of it. The workflow runs only for documents
whose content is not what the manifest says; with nothing to do, not even the local stack is started.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from selfrag.bootstrap import Parts
from selfrag.ports.objects import Object
from selfrag.runtime.settings import IngestionSettings
from selfrag_cli.local.home import alone
from selfrag_cli.local.index import KeptEmbedder, NamedEmbedder, embedding_with, open_index
from selfrag_cli.local.index.tokens import TOKENIZER
from selfrag_cli.local.recognition.tesseract import program
from selfrag_cli.local.sources.comparison import Comparison, compare, content_of, is_about, records_by_path
from selfrag_cli.local.sources.place import AnotherDirectory, Place, refuse_another
from selfrag_cli.local.sources.progress import OnDocument, Progress
from selfrag_cli.local.sources.report import Interrupted, Plan, Report, plan_of, report_of
from selfrag_cli.local.sources.source import remember
from selfrag_cli.local.stores.manifest import LocalManifest, opened_manifest

Compare = Callable[[Place, LocalManifest, str], Comparison]


def sync(
    place: Place,
    on_document: OnDocument = lambda reading: None,
    embedder: NamedEmbedder | None = None,
    may_replace: Callable[[AnotherDirectory], bool] = lambda another: False,
    compare_with: Compare = compare,
) -> Report:
    """Bring a place's collection up to date with its directory, or with what else `compare_with` compares it with.

    multilingual-e5-small embeds unless another embedder is given. Several processes may do so at once, for the same
    directory or others. Raises InvalidInput if the directory is missing, AnotherDirectory if the collection was read
    from another one which it may not replace, NothingUsable if it holds no document that can be used, Interrupted.
    """
    # Of several processes one brings it in step, and the others find it so.
    with alone(place.collection), embedding_with(embedder) as embedding, opened_manifest() as manifest:
        try:
            refuse_another(place)
        except AnotherDirectory as error:
            if not may_replace(error):
                raise
        comparison = compare_with(place, manifest, _made_by(embedding))
        comparison.keep()
        if not comparison.in_step:
            _remember(place, comparison, int(time.time()))
            comparison = replace(comparison, unread=_ingest(place, comparison, manifest, embedding, on_document))
        _remember(place, comparison)
        return report_of(place, comparison, records_by_path(place, manifest))


def plan(place: Place, embedder: NamedEmbedder | None = None, compare_with: Compare = compare) -> Plan:
    """Return what `sync` would do, without doing it; raises InvalidInput if the directory is missing."""
    with embedding_with(embedder) as embedding, opened_manifest() as manifest:
        return plan_of(place, compare_with(place, manifest, _made_by(embedding)))


def _made_by(embedding: KeptEmbedder) -> str:
    return IngestionSettings(pipeline=_pipeline(embedding)).made_by


def _remember(place: Place, comparison: Comparison, read_at: int | None = None) -> None:
    # An empty directory is no source yet.
    if comparison.before or comparison.files.paths:
        remember(place.collection, place.root, comparison.unread, read_at)


def _ingest(
    place: Place, comparison: Comparison, manifest: LocalManifest, embedding: KeptEmbedder, on_document: OnDocument
) -> dict[str, str]:
    """Run the workflow for all that is not in step; return why files cannot be read, by path."""
    # They take a second to load.
    from selfrag_cli.local.recognition.local import local_recognizer
    from selfrag_cli.local.sources.ingestion import ingest_objects

    unread, progress = dict(comparison.unread), Progress(place, comparison, on_document)

    def read(key: str) -> Object | None:
        path = place.path_of(key)
        if path in comparison.gone:
            return None
        content, why = content_of(comparison.files, path)
        if why:
            unread[path] = why
        return None if content is None else Object(content, comparison.files.metadata(path))

    keys = [f"{place.collection}/{path}" for path in (*comparison.todo, *comparison.gone)]
    environment = {"SELFRAG_PIPELINE": _pipeline(embedding)}
    with local_recognizer() as recognizer:
        parts: Parts = {"index": open_index(), "embedder": embedding, "recognizer": recognizer}
        ingest = partial(ingest_objects, read=read, manifest=manifest, environment=environment, parts=parts)
        try:
            ingest(keys, on_event=progress)
            # What failed for another reason than its content is tried once more, now that all others are read.
            ingest(_failed(place, manifest, keys), on_event=lambda event: None)
        except KeyboardInterrupt as error:
            files = len(comparison.files.paths)
            raise Interrupted(files - len(comparison.todo) + progress.read, files) from error
    return unread


def _failed(place: Place, manifest: LocalManifest, keys: Sequence[str]) -> list[str]:
    """Return the keys of documents that failed, but not for what they hold."""
    records = manifest.records(place.collection)
    return [key for key in keys if (record := records.get(key)) and record.status == "failed" and not is_about(record)]


def _pipeline(embedding: KeptEmbedder) -> str:
    """Return what passages depend on beside the files: tokens, vectors, and whether pictures of pages are read."""
    return " ".join([embedding.name, TOKENIZER, *(["tesseract"] if program() else [])])
