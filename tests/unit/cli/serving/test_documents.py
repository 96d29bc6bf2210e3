"""The documents that the served API lists: those that ingestion has recorded, and those that came since."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from selfrag.domain.documents import document_id
from selfrag.domain.records import Record
from selfrag_cli.local.serving.background import Documents
from selfrag_cli.local.stack import DOCUMENTS_BUCKET
from selfrag_cli.local.stores.manifest import LocalManifest, opened_manifest

NEW = '"new"'


@pytest.fixture
def manifest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalManifest]:
    monkeypatch.setenv("SELFRAG_HOME", str(tmp_path))
    with opened_manifest() as opened:
        yield opened


@pytest.fixture
def documents(manifest: LocalManifest) -> Documents:
    return Documents("hr", manifest)


def identity(key: str) -> str:
    return document_id(DOCUMENTS_BUCKET, key)


def record(manifest: LocalManifest, key: str, status: str = "ready") -> None:
    """A run of ingestion, as far as a document shows it."""
    manifest.claim(identity(key), key, key.partition("/")[0], "e")
    stated = {"id": identity(key), "key": key, "collection": key.partition("/")[0], "status": status}
    manifest.release(Record.model_validate({**stated, "reason": f"{key} is {status}.", "version": "1"}), "e")


def listed(manifest: LocalManifest, collection: str = "hr") -> dict[str, tuple[str, str]]:
    records, _ = manifest.list_documents(collection, 100)
    return {record.key: ("removing" if record.is_removing else record.status, record.reason) for record in records}


def test_records_of_another_process_are_listed_at_once(manifest: LocalManifest) -> None:
    with opened_manifest() as another:
        record(another, "hr/a.md")
        record(another, "pay/b.md")
        assert listed(manifest) == {"hr/a.md": ("ready", "hr/a.md is ready.")}
        record(another, "hr/a.md", "removed")
        record(another, "hr/c.md", "failed")
    assert listed(manifest) == {"hr/c.md": ("failed", "hr/c.md is failed.")}


def test_upload_is_working_until_ingested_even_over_existing_document(
    manifest: LocalManifest, documents: Documents
) -> None:
    record(manifest, "hr/a.md", "failed")
    for key in ("hr/a.md", "hr/new.md"):
        documents.changed(key, NEW)
    assert listed(manifest) == {"hr/a.md": ("working", ""), "hr/new.md": ("working", "")}
    record(manifest, "hr/a.md")
    documents.refresh({"hr/new.md": NEW}, {}, "")
    assert listed(manifest) == {"hr/a.md": ("ready", "hr/a.md is ready."), "hr/new.md": ("working", "")}
    known = manifest.read(identity("hr/new.md"))
    assert known is not None
    assert known.updated_at > 0


def test_indexed_version_stays_known_during_new_upload(manifest: LocalManifest, documents: Documents) -> None:
    record(manifest, "hr/a.md")
    documents.changed("hr/a.md", NEW)
    known = manifest.read(identity("hr/a.md"))
    assert known is not None
    assert (known.status, known.version) == ("working", "1")


def test_failed_run_marks_only_unrecorded_documents_as_failed(manifest: LocalManifest, documents: Documents) -> None:
    uploads = dict.fromkeys(("hr/read.md", "hr/bad.md", "hr/never.md"), NEW)
    for key, etag in uploads.items():
        documents.changed(key, etag)
    record(manifest, "hr/read.md")
    record(manifest, "hr/bad.md", "failed")
    documents.refresh({}, uploads, "The disk is full.")
    assert listed(manifest) == {
        "hr/bad.md": ("failed", "hr/bad.md is failed."),
        "hr/never.md": ("failed", "The disk is full."),
        "hr/read.md": ("ready", "hr/read.md is ready."),
    }


def test_deleted_document_is_removing_until_its_own_run(manifest: LocalManifest, documents: Documents) -> None:
    record(manifest, "hr/a.md")
    manifest.claim(identity("hr/a.md"), "hr/a.md", "hr", "a run that has begun")
    for key in ("hr/a.md", "hr/never.md"):
        documents.changed(key, "")
    assert listed(manifest) == {"hr/a.md": ("removing", "hr/a.md is ready.")}
    read = manifest.read(identity("hr/a.md"))
    assert read is not None
    manifest.release(read, "a run that has begun")
    assert listed(manifest) == {"hr/a.md": ("removing", "hr/a.md is ready.")}
    record(manifest, "hr/a.md", "removed")
    assert listed(manifest) == {}


def test_a_new_upload_of_a_document_that_is_removing_is_working(manifest: LocalManifest, documents: Documents) -> None:
    record(manifest, "hr/a.md")
    documents.changed("hr/a.md", "")
    documents.changed("hr/a.md", NEW)
    assert listed(manifest) == {"hr/a.md": ("working", "")}
    record(manifest, "hr/a.md")
    assert listed(manifest) == {"hr/a.md": ("ready", "hr/a.md is ready.")}


def test_deletion_without_a_successful_run_is_failed_with_its_reason(
    manifest: LocalManifest, documents: Documents
) -> None:
    for key in ("hr/still.md", "hr/gone.md"):
        record(manifest, key)
        documents.changed(key, "")
    record(manifest, "hr/gone.md", "removed")
    documents.refresh({}, {"hr/still.md": "", "hr/gone.md": ""}, "The disk is full.")
    assert listed(manifest) == {"hr/still.md": ("failed", "The disk is full.")}
