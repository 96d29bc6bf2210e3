"""A document is claimed by the current state of the bucket, not by the event."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from selfrag.domain.records import Record
from selfrag.ingestion.claim_document.logic import ClaimDocumentTask, claim

TASK = ClaimDocumentTask(bucket="b", key="handbook/leave.md", execution="one")


@dataclass
class FakeManifest:
    """A manifest that knows one document; `free` says which claims succeed, `quiet` which releases."""

    known: Record | None = None
    free: list[bool] = field(default_factory=lambda: [True])
    quiet: list[bool] = field(default_factory=lambda: [True])

    def claim(self, *arguments: Any) -> bool:
        return self.free.pop(0) if len(self.free) > 1 else self.free[0]

    def read(self, document_id: str) -> Record | None:
        return self.known

    def release(self, record: Record, owner: str) -> bool:
        return self.quiet.pop(0)


class FakeObjects:
    """A bucket in which the object has this version, or was deleted."""

    def __init__(self, version: str | None) -> None:
        self.version = version

    def head(self, bucket: str, key: str) -> str | None:
        return self.version


def decided(manifest: FakeManifest, version: str | None) -> str:
    return claim(TASK, FakeObjects(version), manifest, "1").action  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("known", "version", "action"),
    [
        (None, "v1", "read"),
        (None, None, "remove"),
        (Record(id="d", status="ready", version="v1 1"), "v1", "nothing"),
        (Record(id="d", status="ready", version="v1 1"), "v2", "read"),
        (Record(id="d", status="ready", version="v1 0"), "v1", "read"),
        (Record(id="d", status="failed", version="v1 1"), "v1", "read"),
        (Record(id="d", status="removed"), None, "remove"),
    ],
)
def test_the_object_as_it_is_now_decides(known: Record | None, version: str | None, action: str) -> None:
    assert decided(FakeManifest(known), version) == action


def test_a_document_that_another_execution_has_is_left_to_it() -> None:
    assert decided(FakeManifest(free=[False]), "v1") == "busy"


def test_event_arriving_as_work_ends_is_not_lost() -> None:
    manifest = FakeManifest(Record(id="d", status="ready", version="v1 1"), quiet=[False, True])
    assert decided(manifest, "v1") == "nothing"
    assert manifest.quiet == []


@pytest.mark.parametrize(
    "key",
    [
        "handbook/",
        "handbook/hr/",
        "handbook/.DS_Store",
        ".git/config",
        "handbook/~$plan.docx",
        "handbook/.~lock.plan.odt#",
    ],
)
def test_system_file_or_folder_is_not_claimed(key: str) -> None:
    manifest = FakeManifest(free=[False])
    result = claim(ClaimDocumentTask(bucket="b", key=key, execution="one"), FakeObjects("v1"), manifest, "1")  # type: ignore[arg-type]
    assert result.action == "nothing"


@pytest.mark.parametrize(
    "key",
    [
        *("handbook/.notes.md", "handbook/plan.png", "handbook/letter.doc", "handbook/README"),
        *("handbook/https://example.com/", "handbook/https://example.com/.well-known/"),
    ],
)
def test_user_file_is_claimed_for_reading(key: str) -> None:
    task = ClaimDocumentTask(bucket="b", key=key, execution="one")
    assert claim(task, FakeObjects("v1"), FakeManifest(), "1").action == "read"  # type: ignore[arg-type]
