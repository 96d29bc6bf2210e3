"""Ingestion as its users see it: the bucket, the index and the manifest agree, whatever happens in between."""

from collections.abc import Callable
from datetime import UTC, datetime
from itertools import permutations
from typing import Any

import boto3
import pytest
import time_machine

from selfrag import bootstrap
from selfrag.domain.errors import BadDocument, Misconfigured
from selfrag.domain.passages import Bounds
from selfrag_cli.local.stack import INGESTION
from tests.support.aws.resources import DOCUMENTS_BUCKET
from tests.support.aws.stack import deployed_handlers
from tests.support.documents.files import pdf
from tests.support.fakes import embed
from tests.support.ingesting import FIRST, KEY, SECOND, Ingestion, holds, ingestion


def test_a_new_object_becomes_searchable_and_recorded(running: Ingestion) -> None:
    running.put(KEY, FIRST)
    assert running.done(KEY)["status"] == "ready"
    holds(running, "25 days")
    record = running.record(KEY)
    assert (record["status"], record["title"], record["collection"], record["passages"]) == (
        "ready", "Leave", "handbook", "1",
    )  # fmt: skip
    assert "lease_owner" not in record


def test_the_same_content_again_does_nothing(running: Ingestion) -> None:
    running.put(KEY, FIRST)
    running.done(KEY)
    embedded = len(running.titan.texts)
    assert running.done(KEY)["action"] == "nothing"
    # A new version of the object with the same bytes is only read.
    running.put(KEY, FIRST)
    assert running.done(KEY)["status"] == "ready"
    assert len(running.titan.texts) == embedded
    assert running.record(KEY)["passages"] == "1"
    holds(running, "25 days")


def test_changed_content_replaces_what_was_there(running: Ingestion) -> None:
    running.put(KEY, FIRST)
    running.done(KEY)
    running.put(KEY, SECOND)
    running.done(KEY)
    holds(running, "26 days")


def test_new_index_is_filled_and_previous_index_is_unchanged(
    running: Ingestion, monkeypatch: pytest.MonkeyPatch
) -> None:
    def held(index: str) -> list[tuple[str, int]]:
        documents = [each for each in running.collection.indices[index].documents if each.until == float("inf")]
        return [(str(each.source["text"]), len(each.source["vector"])) for each in documents]

    running.put(KEY, FIRST)
    running.done(KEY)
    before = held("passages")
    # Terraform's settings after a change of its variable `index`.
    new = {"INDEX_NAME": "passages-256", "VECTOR_DIMENSIONS": "256", "PIPELINE": "1/passages-256/256"}
    for name, value in new.items():
        monkeypatch.setenv(f"SELFRAG_{name}", value)
    bootstrap.forget()
    assert running.done(KEY)["status"] == "ready"
    assert held("passages-256") == [(text, 256) for text, _ in before]
    assert running.done(KEY)["action"] == "nothing"
    running.put(KEY, SECOND)
    running.done(KEY)
    assert [("26 days" in text, size) for text, size in held("passages-256")] == [(True, 256)]
    running.delete(KEY)
    assert running.done(KEY)["status"] == "removed"
    assert (held("passages-256"), held("passages")) == ([], before)


def test_new_collection_starts_empty_and_is_filled_by_reindexing(
    running: Ingestion, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = [f"handbook/{name}.md" for name in ("leave", "rooms", "travel")]
    for key in keys:
        running.put(key, f"# {key}\n\nA text of {key}.\n".encode())
        running.done(key)
    loaded = running.texts()
    assert [running.done(key)["action"] for key in keys] == ["nothing"] * 3
    # Terraform's settings after the collection was replaced by an empty one.
    running.collection.indices.clear()
    monkeypatch.setenv("SELFRAG_PIPELINE", "1/passages/512/another")
    bootstrap.forget()
    assert running.texts().total() == 0
    # A reindexing runs this for each object.
    done = [running.done(key) for key in keys]
    assert [(each["action"], each["status"], each["passages"]) for each in done] == [("read", "ready", 1)] * 3
    assert running.texts() == loaded
    assert [running.done(key)["action"] for key in keys] == ["nothing"] * 3


def test_state_machine_waits_only_for_a_busy_model() -> None:
    pauses: list[float] = []
    with ingestion(pause=pauses.append) as running:
        running.put(KEY, FIRST)
        assert running.done(KEY)["status"] == "ready"
        assert pauses == []
        running.put(KEY, SECOND)
        running.titan.throttles = 4
        ended = running.done(KEY)
    assert (ended["status"], ended["unfinished"]) == ("ready", False)
    assert len(pauses) == 4
    assert all(least <= pause <= 2 * least for least, pause in zip((1, 2, 4, 8), pauses, strict=True))


def test_document_waits_for_newly_granted_write_permission() -> None:
    index_passages, pauses = deployed_handlers(INGESTION)["index_passages"], list[float]()

    def index(task: dict[str, Any], context: Any) -> dict[str, Any]:
        if len(pauses) < 10:
            raise Misconfigured("the passage index refused the credentials or the access: status 403")
        return index_passages(task, context)

    with ingestion({"index_passages": index}, pause=pauses.append) as running:
        running.put(KEY, FIRST)
        assert running.done(KEY)["status"] == "ready"
        holds(running, "25 days")
    # A rule of the collection may take a minute, says AWS.
    assert max(pauses) > 0
    assert all(0 <= pause <= 30 for pause in pauses)


def test_document_out_of_time_is_recorded_as_unfinished_with_reason() -> None:
    def busy(task: dict[str, Any], context: Any) -> dict[str, Any]:
        return {"vectors_key": "v", "done": False, "busy": True}

    with (
        time_machine.travel(datetime.now(UTC), tick=True) as clock,
        ingestion({"embed_passages": busy}, pause=clock.shift) as running,
    ):
        running.put(KEY, FIRST)
        ended = running.done(KEY)
    assert (ended["status"], ended["unfinished"]) == ("failed", True)
    assert "the model was busy. Another run goes on from there." in ended["reason"]


def test_a_deleted_object_disappears(running: Ingestion) -> None:
    running.put(KEY, FIRST)
    running.done(KEY)
    running.delete(KEY)
    assert running.done(KEY)["status"] == "removed"
    holds(running)
    assert running.record(KEY)["status"] == "removed"


def test_file_that_became_unreadable_is_failed_and_not_cited(running: Ingestion) -> None:
    running.put(KEY, FIRST)
    running.done(KEY)
    running.put(KEY, b"\xff\xfe broken \x00")
    assert running.done(KEY)["status"] == "failed"
    holds(running)
    record = running.record(KEY)
    assert record["status"] == "failed"
    assert KEY in record["reason"]
    running.put(KEY, SECOND)
    running.done(KEY)
    holds(running, "26 days")


def test_document_with_too_many_passages_fails_with_reason() -> None:
    split = deployed_handlers(INGESTION)["split_document"]

    def splits_one_only(event: dict[str, Any], context: Any) -> Any:
        if len(running.titan.texts):
            raise BadDocument("too many passages")
        return split(event, context)

    with ingestion({"split_document": splits_one_only}) as running:
        running.put(KEY, FIRST)
        running.done(KEY)
        running.put(KEY, SECOND)
        assert running.done(KEY)["status"] == "failed"
        holds(running)
        assert running.record(KEY)["reason"] == (
            f"{KEY} holds more text than one document may have; split it into several files."
        )


OPERATIONS: dict[str, Callable[[Ingestion], None]] = {
    "created": lambda running: running.put(KEY, FIRST),
    "changed": lambda running: running.put(KEY, SECOND),
    "deleted": lambda running: running.delete(KEY),
}
ENDS = {"created": ("25 days",), "changed": ("26 days",), "deleted": ()}


@pytest.mark.long
@pytest.mark.parametrize("order", list(permutations(OPERATIONS)), ids="-".join)
def test_events_in_every_order_and_twice_end_in_the_same_state(order: tuple[str, ...]) -> None:
    # An event that comes late sees a bucket that has moved on: all of them before the first execution, then each
    # followed by its own, and twice.
    for deliver_at_once in (True, False):
        with ingestion() as running:
            for name in order:
                OPERATIONS[name](running)
                if deliver_at_once:
                    running.done(KEY)
            for _ in range(4):
                running.done(KEY)
            holds(running, *ENDS[order[-1]])


def test_pdf_passages_have_pages_and_other_passages_have_headings(running: Ingestion) -> None:
    running.put("handbook/travel.pdf", pdf("Trains come first. " * 60, "The hotel limit in Oslo is 140 EUR. " * 30))
    running.put("handbook/leave.html", b"<h1>Leave</h1><h2>Sick leave</h2><p>It is paid.</p>")
    running.put("handbook/pay.md", b"# Pay\n\n## Bonus\n\nIt is paid in May.\n")
    for key in ("handbook/travel.pdf", "handbook/leave.html", "handbook/pay.md"):
        assert running.done(key)["status"] == "ready"
    found = bootstrap.index().search("hotel limit Oslo paid", embed("hotel limit Oslo paid"), 20, Bounds(["handbook"]))
    places = {(p.document, p.page, p.heading) for p, _ in found.by_text}
    assert {page for document, page, _ in places if document.endswith(".pdf")} >= {2}
    assert ("handbook/leave.html", None, "Sick leave") in places
    assert ("handbook/pay.md", None, "Bonus") in places


def test_object_tags_and_date_override_those_in_document(running: Ingestion) -> None:
    content = b"---\ntags: [Leave]\ndate: 2019-07-31\n---\n# Leave\n\n25 days.\n"

    def labels() -> tuple[list[str], str | None]:
        done = running.done(KEY)
        ((passage, _),) = bootstrap.index().search("days", embed("days"), 5, Bounds(["handbook"])).by_vector
        record = running.record(KEY)
        assert (done["status"], [tag["S"] for tag in record["tags"]]) == ("ready", passage.tags)
        assert record["date"] == (passage.date or True)  # {"NULL": true}
        return passage.tags, passage.date

    # As the deployed bucket is: an object with other metadata is another version of it.
    versions = {"Status": "Enabled"}
    boto3.client("s3").put_bucket_versioning(Bucket=DOCUMENTS_BUCKET, VersioningConfiguration=versions)
    running.put(KEY, content)
    assert labels() == (["leave"], "2019-07-31")
    running.put(KEY, content, tags="HR, %E4%BC%91%E6%9A%87")
    assert labels() == (["hr", "休暇"], "2019-07-31")
    running.put(KEY, content, date="2026-01-31")
    assert labels() == (["leave"], "2026-01-31")
    running.put(KEY, FIRST)
    assert labels() == ([], None)
