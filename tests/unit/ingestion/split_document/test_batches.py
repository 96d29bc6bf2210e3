"""A document's passages in batches, and how many of them one document may have."""

from dataclasses import asdict
from typing import Any

import pytest

from selfrag.domain.documents import Document
from selfrag.domain.errors import BadDocument
from selfrag.ingestion.split_document.logic import SplitDocumentTask, split_into_batches

TEXT = "\n\n".join(f"# Part {n}\n\n{' '.join(f'Sentence {n}.{m} says this.' for m in range(30))}" for n in range(30))
TASK = SplitDocumentTask(
    key="c/a.txt", document_id="d", collection="c", generation="g", document_key="d/g/document.json"
)


class FakeObjects:
    """A work bucket with one document."""

    def __init__(self) -> None:
        self.held: dict[str, Any] = {TASK.document_key: asdict(Document("c/a.txt", "A", TEXT))}

    def get_json(self, key: str) -> Any:
        return self.held[key]

    def put_json(self, key: str, value: Any) -> None:
        self.held[key] = value


def test_batches_hold_all_passages_in_their_order() -> None:
    objects = FakeObjects()
    result = split_into_batches(TASK, objects)  # type: ignore[arg-type]
    held = [passage for batch in result.batches for passage in objects.held[batch.passages_key]]
    assert len(held) == result.passages > 25
    assert [passage["text"] for passage in held] == sorted((p["text"] for p in held), key=TEXT.index)


def test_document_too_large_for_execution_is_rejected_before_writing() -> None:
    objects = FakeObjects()
    most = split_into_batches(TASK, FakeObjects()).passages  # type: ignore[arg-type]
    assert split_into_batches(TASK, FakeObjects(), most).passages == most  # type: ignore[arg-type]
    with pytest.raises(BadDocument, match=r"c/a.txt has more than \d+ passages; split it into several files"):
        split_into_batches(TASK, objects, most - 1)  # type: ignore[arg-type]
    assert list(objects.held) == [TASK.document_key]
