"""The manifest records the state of a document."""

from typing import Any

import pytest

from selfrag.domain.records import Record
from selfrag.ingestion.record_document.logic import RecordDocumentResult, RecordDocumentTask, outcome_metric, record

KNOWN = Record(
    id="d", key="c/leave.md", collection="c", status="ready", generation="g", title="Leave", passages=3, pages=2
)
TASK: dict[str, Any] = {"document_id": "d", "key": "c/leave.md", "collection": "c", "execution": "one"}


class FakeManifest:
    """A manifest with one document, which no other execution wants unless it says so."""

    def __init__(self, known: Record | None, quiet: bool = True) -> None:
        self.known, self.quiet = known, quiet
        self.written: Record | None = None

    def read(self, document_id: str) -> Record | None:
        return self.known

    def release(self, record: Record, owner: str) -> bool:
        self.written = record
        return self.quiet


def written(known: Record | None = None, quiet: bool = True, **fields: Any) -> tuple[Record, bool]:
    manifest = FakeManifest(known, quiet)
    result = record(RecordDocumentTask.model_validate({**TASK, **fields}), manifest)  # type: ignore[arg-type]
    assert manifest.written is not None
    return manifest.written, result.again


def test_a_document_that_is_ready_has_its_title_passages_and_warnings() -> None:
    content = {"title": "Leave", "passages": 3, "warnings": ["Page 2 is scanned."]}
    known, again = written(status="ready", generation="g", content=content)
    assert (known.status, known.title, known.passages, known.warnings) == ("ready", "Leave", 3, ["Page 2 is scanned."])
    assert (again, known.updated_at > 0) == (False, True)


def test_the_same_content_again_keeps_what_is_known_of_it() -> None:
    known, _ = written(KNOWN, status="ready", generation="g", version="v2")
    assert (known.version, known.title, known.passages, known.pages) == ("v2", "Leave", 3, 2)


@pytest.mark.parametrize("status", ["failed", "removed"])
def test_failed_or_removed_document_records_status_and_reason(status: str) -> None:
    known, _ = written(KNOWN, status=status, reason="It holds no words.")
    assert (known.status, known.reason, known.passages) == (status, "It holds no words.", 0)


def test_an_event_that_came_meanwhile_asks_for_another_look() -> None:
    assert written(quiet=False, status="ready", generation="g")[1]


@pytest.mark.parametrize(
    ("key", "status", "counted"),
    [
        ("c/leave.md", "failed", "failed"),
        ("c/scan.PDF", "failed", "failed"),
        ("c/plan.png", "failed", "skipped"),
        ("c/README", "failed", "skipped"),
        ("c/https://example.com/guide", "failed", "failed"),
        ("c/plan.png", "removed", "removed"),
    ],
)
def test_a_file_of_a_kind_that_is_not_read_raises_no_alarm(key: str, status: Any, counted: str) -> None:
    task = RecordDocumentTask.model_validate({**TASK, "key": key, "status": status})
    assert outcome_metric(task, RecordDocumentResult(status=status, again=False)) == counted
