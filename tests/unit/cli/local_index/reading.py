"""Ingestion of a directory, and the contents of index and manifest."""

import json
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from selfrag.domain.passages import Bounds
from selfrag_cli.local.home import connect
from selfrag_cli.local.index import SCHEMA, EmbeddedIndex
from selfrag_cli.local.sources.report import IngestionReport, MassRemoval
from selfrag_cli.local.sources.source import own_collection, source_to_read
from tests.support.fakes import FakeEmbedder
from tests.support.reading import sync

LEAVE = "# Leave\n\nLeave is 25 days a year.\n"


def report(warnings: Iterable[str] = (), others: Mapping[str, int] | None = None, **counts: int) -> IngestionReport:
    return IngestionReport(**counts, others=others or {}, warnings=list(warnings))


def ingest(directory: Path, collection: str = "", **more: Any) -> IngestionReport:
    allowed = {"embedder": FakeEmbedder(), "may_replace": lambda refusal: isinstance(refusal, MassRemoval)}
    return sync(source_to_read(directory, collection), **{**allowed, **more})


def indexed(directory: Path) -> list[tuple[str, str, str]]:
    """Return the indexed passages of a directory: (document, text, id)."""
    return held_by(own_collection(directory))


def held_by(collection: str) -> list[tuple[str, str, str]]:
    with closing(connect(SCHEMA)) as connection:
        found = EmbeddedIndex(connection).search("", FakeEmbedder().query(""), 10_000, Bounds([collection]))
    return sorted((passage.document, passage.text, passage.passage_id) for passage, _ in found.by_vector)


def index_ids() -> list[str]:
    """Return the index's own ids of all that it holds."""
    with closing(connect(SCHEMA)) as connection:
        return sorted(own_id for (own_id,) in connection.execute("SELECT id FROM passages"))


def manifest_ids() -> list[str]:
    """Return the index's own ids of all that the manifest knows."""
    with closing(connect()) as connection:
        items = [json.loads(item) for (item,) in connection.execute("SELECT item FROM kept_documents")]
    return sorted(known["S"] for item in items if "ids" in item for known in item["ids"]["M"].values())
