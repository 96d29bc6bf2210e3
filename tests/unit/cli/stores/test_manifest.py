"""The manifest in the home, written by this release or an earlier one."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from selfrag.adapters.items import serialize
from selfrag.domain.errors import TemporarilyUnavailable
from selfrag.domain.records import Record, StoredPart
from selfrag.ports.objects import Object
from selfrag_cli.local.home import connect
from selfrag_cli.local.stores.manifest import LocalManifest, opened_manifest
from selfrag_cli.local.stores.objects import LocalObjects


@pytest.fixture
def manifest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalManifest]:
    monkeypatch.setenv("SELFRAG_HOME", str(tmp_path / "state"))
    with opened_manifest() as opened:
        yield opened


def recorded(manifest: LocalManifest, name: str, **more: Any) -> Record:
    record = Record(id=name, key=f"c/{name}.md", collection="c", status="ready", title="T", tags=["a"], **more)
    manifest.claim(name, record.key, record.collection, "e")
    manifest.release(record, "e")
    return record


def test_a_record_and_its_parts_are_read_as_they_were_written(manifest: LocalManifest) -> None:
    record = recorded(manifest, "one", passages=3, date="2026-11-24")
    parts = [StoredPart("one", "g", number, ["p"], {"p": "own"}, since) for number, since in ((0, None), (1, 12.5))]
    for part in parts:
        manifest.put(part)
    assert (manifest.read("one"), manifest.read("two")) == (record, None)
    assert manifest.parts("one") == parts
    assert (manifest.part("one", "g", 1), manifest.part("one", "g", 2)) == (parts[1], None)
    manifest.forget(parts[0])
    assert manifest.parts("one") == parts[1:]


def test_records_of_earlier_release_are_read_even_if_unfinished(manifest: LocalManifest) -> None:
    document = {"id": "old", "part": "document", "key": "c/old.md", "collection": "c", "status": "ready", "passages": 2}
    document |= {"lease_owner": "e", "lease_until": 99_999_999_999, "lease_deletion": 0, "tags": ["a"], "date": None}
    batch = {"id": "old", "part": "g#00000", "passage_ids": ["p"], "ids": {"p": "own"}, "writing_since": "12.5"}
    with connect() as connection:
        for values in (document, batch):
            row = (values["id"], values["part"], values.get("collection"), json.dumps(serialize(values)))
            connection.execute("INSERT INTO kept_documents VALUES (?, ?, ?, ?)", row)
    assert manifest.records("c").keys() == {"c/old.md"}
    assert manifest.parts("old") == [StoredPart("old", "g", 0, ["p"], {"p": "own"}, 12.5)]
    assert manifest.claim("old", "c/old.md", "c", "another")


def test_documents_are_listed_page_by_page_without_those_that_were_removed(manifest: LocalManifest) -> None:
    for name in "dbac":
        recorded(manifest, name)
    manifest.release(Record(id="b", key="c/b.md", collection="c", status="removed"), "e")
    pages, after = [], None
    while True:
        records, after = manifest.list_documents("c", 2, after)
        pages.append([record.id for record in records])
        if after is None:
            break
    assert pages == [["a", "c"], ["d"]]
    assert manifest.list_documents("other", 2) == ([], None)


def test_a_deletion_that_failed_is_taken_back_unless_another_has_begun(manifest: LocalManifest) -> None:
    recorded(manifest, "one")
    for begun, undone, removing in ((5, 5, False), (6, 5, True)):
        manifest.begin_deletion("one", begun)
        manifest.undo_deletion("one", undone)
        known = manifest.read("one")
        assert known is not None
        assert known.is_removing == removing
    manifest.begin_deletion("never", 7)
    assert manifest.read("never") is None


def test_objects_are_held_only_while_document_is_read() -> None:
    objects = LocalObjects()
    one = Object(b"content", {"modified": "2026-01-31"})
    with objects.serving_object("one", "c/one.md", one), objects.serving_object("two", "c/two.md", None):
        objects.put_json("one/passages-0.json", ["p"])
        objects.put_json("two/passages-0.json", ["q"])
        found = objects.get("bucket", "c/one.md", 4)
        assert found is not None
        assert (found, objects.get("bucket", "c/two.md", 4)) == (Object(b"cont", one.metadata), None)
        assert objects.head("bucket", "c/one.md") == '"9a0364b9e99bb480dd25e1f0284c8555"'
        assert (objects.get_json("one/passages-0.json"), objects.has_json("two/passages-0.json")) == (["p"], True)
    assert (objects.head("bucket", "c/one.md"), objects.has_json("one/passages-0.json")) == (None, False)
    with pytest.raises(TemporarilyUnavailable):
        objects.get_json("two/passages-0.json")
    assert vars(objects)["_work"] == {}
