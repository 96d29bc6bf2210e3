"""Passages of outdated content are removed, batch by batch."""

import time
from collections.abc import Iterable, Sequence

from selfrag.domain.records import StoredPart
from selfrag.ingestion.remove_passages.logic import AT_ONCE, RemovePassagesTask, remove


class FakeManifest:
    """The batches of one document."""

    def __init__(self, *parts: StoredPart) -> None:
        self.kept = list(parts)

    def parts(self, document_id: str) -> list[StoredPart]:
        return list(self.kept)

    def forget(self, part: StoredPart) -> None:
        self.kept.remove(part)


class FakeIndex:
    """Records deletions; a search can return one passage that is in no record."""

    def __init__(self) -> None:
        self.deleted: list[str] = []

    def delete(self, ids: Iterable[str]) -> None:
        self.deleted += ids

    def service_ids(self, passage_ids: Sequence[str], collections: Sequence[str]) -> dict[str, list[str]]:
        return {"p2": ["found"]}


def run(manifest: FakeManifest, writer: FakeIndex, keep: str = "new") -> tuple[int, bool, bool]:
    task = RemovePassagesTask(document_id="d", collection="c", keep=keep)
    result = remove(task, manifest, writer, 60)  # type: ignore[arg-type]
    return result.removed, result.left, result.waiting


def test_the_generation_that_is_kept_stays() -> None:
    manifest = FakeManifest(
        StoredPart("d", "old", 0, ["p1"], {"p1": "a"}), StoredPart("d", "new", 0, ["p1"], {"p1": "b"})
    )
    writer = FakeIndex()
    assert run(manifest, writer) == (1, False, False)
    assert (writer.deleted, [part.generation for part in manifest.kept]) == (["a"], ["new"])


def test_removal_waits_for_pending_write_then_looks_for_it() -> None:
    part = StoredPart("d", "old", 0, ["p1", "p2"], {"p1": "a"}, time.time())
    manifest, writer = FakeManifest(part), FakeIndex()
    assert run(manifest, writer) == (0, True, True)
    manifest.kept = [StoredPart("d", "old", 0, ["p1", "p2"], {"p1": "a"}, 1.0)]
    assert run(manifest, writer) == (2, False, False)
    assert sorted(writer.deleted) == ["a", "found"]


def test_a_large_document_is_removed_in_several_runs() -> None:
    ids = {str(n): f"id-{n}" for n in range(AT_ONCE)}
    manifest, writer = (
        FakeManifest(StoredPart("d", "old", 0, [], ids), StoredPart("d", "old", 1, [], {"x": "y"})),
        FakeIndex(),
    )
    assert run(manifest, writer) == (AT_ONCE, True, False)
    assert run(manifest, writer) == (1, False, False)
