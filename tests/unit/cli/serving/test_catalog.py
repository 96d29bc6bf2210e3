"""The documents that the served API lists: those on disk, and those that came since."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.local.aws.manifest import Item, kept_manifest
from cli.local.aws.resources import DOCUMENTS_BUCKET
from cli.local.aws.stack import running_stack
from cli.local.serving.catalog import Catalog
from selfrag.bootstrap import ingestion
from selfrag.domain.documents import document_id
from selfrag.domain.records import Record
from selfrag.ports.manifest import Manifest

OLD, NEW = '"0ld"', '"new"'


@pytest.fixture
def known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Manifest]:
    monkeypatch.setenv("SELFRAG_HOME", str(tmp_path))
    with running_stack({}, {}, handlers={"none": lambda event, context: None}):
        yield ingestion.manifest()


def keep(key: str, status: str = "ready", version: str = OLD, part: str = "document") -> None:
    strings = {"id": document_id(DOCUMENTS_BUCKET, key), "part": part, "status": status, "version": f"{version} 1"}
    item: Item = {name: {"S": value} for name, value in strings.items()}
    if part == "document":
        item |= {"key": {"S": key}, "collection": {"S": key.partition("/")[0]}, "reason": {"S": f"{key} is {status}."}}
    with kept_manifest() as kept:
        kept.put(item)


def forget(key: str, part: str = "document") -> None:
    with kept_manifest() as kept:
        kept.delete({"id": {"S": document_id(DOCUMENTS_BUCKET, key)}, "part": {"S": part}})


def listed(known: Manifest, collection: str = "hr") -> dict[str, tuple[str, str]]:
    records, _ = known.listed(collection, 100)
    return {record.key: ("removing" if record.removing else record.status, record.reason) for record in records}


def test_what_is_kept_is_shown_of_one_collection_and_what_is_gone_goes(known: Manifest) -> None:
    catalog = Catalog("hr")
    keep("hr/a.md")
    keep("hr/a.md", part="1#00000")
    keep("pay/b.md")
    catalog.refresh({})
    assert listed(known) == {"hr/a.md": ("ready", "hr/a.md is ready.")}
    assert listed(known, "pay") == {}
    identity = document_id(DOCUMENTS_BUCKET, "hr/a.md")
    keep("hr/c.md", "failed")
    forget("hr/a.md")
    forget("hr/a.md", "1#00000")
    catalog.refresh({})
    assert listed(known) == {"hr/c.md": ("failed", "hr/c.md is failed.")}
    assert known.read(identity) is None
    assert known._call("scan")["Count"] == 1


def test_an_upload_is_working_until_it_is_read_also_where_there_was_a_document(known: Manifest) -> None:
    catalog = Catalog("hr")
    keep("hr/a.md", "failed")
    catalog.refresh({})
    for key in ("hr/a.md", "hr/new.md"):
        catalog.working(key)
    assert listed(known) == {"hr/a.md": ("working", ""), "hr/new.md": ("working", "")}
    keep("hr/a.md", version=NEW)
    catalog.refresh({"hr/new.md": NEW})
    assert listed(known) == {"hr/a.md": ("ready", "hr/a.md is ready."), "hr/new.md": ("working", "")}
    record = known.read(document_id(DOCUMENTS_BUCKET, "hr/new.md"))
    assert record is not None
    assert record.updated_at > 0
    assert record == Record(id=record.id, key="hr/new.md", collection="hr", updated_at=record.updated_at)


def test_after_a_run_that_failed_only_what_it_did_not_read_is_failed_for_its_reason(known: Manifest) -> None:
    catalog = Catalog("hr")
    keep("hr/read.md", version=NEW)
    keep("hr/bad.md", "failed", NEW)
    keep("hr/old.md", version=OLD)
    uploads = dict.fromkeys(("hr/read.md", "hr/bad.md", "hr/old.md", "hr/never.md"), NEW)
    catalog.refresh({}, unread=uploads, reason="The disk is full.")
    assert listed(known) == {
        "hr/bad.md": ("failed", "hr/bad.md is failed."),
        "hr/never.md": ("failed", "The disk is full."),
        "hr/old.md": ("failed", "The disk is full."),
        "hr/read.md": ("ready", "hr/read.md is ready."),
    }


def test_a_deleted_document_is_removing_until_the_run_that_removes_it_whatever_other_runs_find(known: Manifest) -> None:
    catalog = Catalog("hr")
    keep("hr/a.md")
    catalog.refresh({})
    catalog.removing("hr/a.md")
    catalog.removing("hr/never.md")
    assert listed(known) == {"hr/a.md": ("removing", "hr/a.md is ready.")}
    # A run that had begun before has read it once more.
    keep("hr/a.md", version=NEW)
    catalog.refresh({"hr/a.md": ""})
    assert listed(known) == {"hr/a.md": ("removing", "hr/a.md is ready.")}
    keep("hr/a.md", "removed")
    catalog.refresh({})
    assert listed(known) == {}


def test_a_new_upload_of_a_document_that_is_removing_is_working(known: Manifest) -> None:
    catalog = Catalog("hr")
    keep("hr/a.md")
    catalog.refresh({})
    catalog.removing("hr/a.md")
    catalog.working("hr/a.md")
    assert listed(known) == {"hr/a.md": ("working", "")}
    keep("hr/a.md", "removed")
    catalog.refresh({"hr/a.md": NEW})
    assert listed(known) == {"hr/a.md": ("working", "")}
    keep("hr/a.md", version=NEW)
    catalog.refresh({})
    assert listed(known) == {"hr/a.md": ("ready", "hr/a.md is ready.")}


def test_a_deletion_that_no_run_could_follow_is_failed_with_its_reason_and_one_that_was_followed_is_not(
    known: Manifest,
) -> None:
    catalog = Catalog("hr")
    for key in ("hr/still.md", "hr/gone.md"):
        keep(key)
    catalog.refresh({})
    for key in ("hr/still.md", "hr/gone.md"):
        catalog.removing(key)
    keep("hr/gone.md", "removed")
    catalog.refresh({}, unread={"hr/still.md": "", "hr/gone.md": ""}, reason="The disk is full.")
    assert listed(known) == {"hr/still.md": ("failed", "The disk is full.")}
