"""A batch is written once: the mark in the manifest says when a write may have happened."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from selfrag.domain.errors import RequestRejected, TemporarilyUnavailable
from selfrag.domain.records import StoredPart
from selfrag.ingestion.index_passages.logic import IndexPassagesTask, index
from selfrag.ports.index import IndexEntry, WriteOutcome
from tests.support.fakes import passage

TASK = IndexPassagesTask(document_id="d", collection="c", generation="g", number=0, vectors_key="v")
PART = StoredPart("d", "g", 0, ["p1", "p2"], {})


class FakeWork:
    """Two passages with their vectors."""

    def get_json(self, key: str) -> Any:
        return [{"passage": passage(name).model_dump(mode="json"), "vector": [1.0]} for name in ("p1", "p2")]


class FakeManifest:
    """One batch."""

    def __init__(self, part: StoredPart | None = None) -> None:
        self.kept = part
        self.history: list[StoredPart] = []

    def part(self, document_id: str, generation: str, number: int) -> StoredPart | None:
        return self.kept

    def put(self, part: StoredPart) -> None:
        self.kept = part
        self.history.append(part)


class FakeIndex:
    """An index that calls a function with added passages, and stores them."""

    def __init__(self, outcome: Any = None, found: dict[str, list[str]] | None = None) -> None:
        self.outcome, self.found = outcome, found or {}
        self.added: list[str] = []
        self.deleted: list[str] = []

    def add(self, entries: Sequence[IndexEntry]) -> WriteOutcome:
        names = [entry.passage.passage_id for entry in entries]
        self.added += names
        return self.outcome or WriteOutcome(ids={name: f"id-{name}" for name in names})

    def delete(self, ids: Iterable[str]) -> None:
        self.deleted += ids

    def service_ids(self, passage_ids: Sequence[str], collections: Sequence[str]) -> dict[str, list[str]]:
        return self.found


def run(manifest: FakeManifest, writer: FakeIndex, view_seconds: float = 60) -> bool:
    return index(TASK, FakeWork(), manifest, writer, view_seconds).settled  # type: ignore[arg-type]


def test_the_manifest_says_that_a_write_begins_before_it_does() -> None:
    manifest = FakeManifest()
    assert run(manifest, FakeIndex())
    begun, done = manifest.history
    assert begun.writing_since is not None
    assert begun.ids == {}
    assert (done.ids, done.writing_since) == ({"p1": "id-p1", "p2": "id-p2"}, None)


def test_confirmed_writes_are_not_repeated() -> None:
    writer = FakeIndex()
    assert run(FakeManifest(replace(PART, ids={"p1": "id-p1"})), writer)
    assert writer.added == ["p2"]


def test_a_write_that_may_have_happened_is_waited_for() -> None:
    writer = FakeIndex()
    assert not run(FakeManifest(replace(PART, writing_since=time.time())), writer)
    assert writer.added == []


def test_completed_write_is_found_and_its_duplicate_deleted() -> None:
    manifest, writer = FakeManifest(replace(PART, writing_since=1.0)), FakeIndex(found={"p1": ["a", "b"]})
    assert run(manifest, writer)
    assert (writer.added, writer.deleted) == (["p2"], ["b"])
    assert manifest.kept is not None
    assert manifest.kept.ids == {"p1": "a", "p2": "id-p2"}


@pytest.mark.parametrize(
    ("name", "raised"), [("TemporarilyUnavailable", TemporarilyUnavailable), ("RequestRejected", RequestRejected)]
)
def test_partial_writes_are_recorded_before_the_error_is_raised(name: str, raised: type[Exception]) -> None:
    manifest = FakeManifest()
    with pytest.raises(raised):
        run(manifest, FakeIndex(WriteOutcome(ids={"p1": "id-p1"}, failed={"p2": name})))
    assert manifest.kept is not None
    assert (manifest.kept.ids, manifest.kept.writing_since) == ({"p1": "id-p1"}, None)


def test_a_write_without_a_reply_leaves_its_mark() -> None:
    manifest = FakeManifest()
    assert not run(manifest, FakeIndex(WriteOutcome(ids={"p1": "id-p1"}, unknown={"p2"})))
    assert manifest.kept is not None
    assert manifest.kept.writing_since is not None
