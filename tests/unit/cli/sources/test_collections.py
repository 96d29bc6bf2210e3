"""A collection remembers its directory; it can be listed, moved and removed."""

import shutil
from contextlib import closing
from pathlib import Path

import pytest

from selfrag.domain.errors import InvalidInput
from selfrag_cli.local.home import connect
from selfrag_cli.local.sources.collections import (
    move_collection,
    remove_collection,
    stored_collection,
    stored_collections,
)
from selfrag_cli.local.sources.source import SourceMismatch, own_collection
from tests.support.fakes import FakeEmbedder
from tests.support.reading import cached
from tests.unit.cli.local_index.conftest import Write
from tests.unit.cli.local_index.reading import LEAVE, held_by, indexed, ingest, manifest_ids, report

pytestmark = pytest.mark.long


def rows(table: str) -> int:
    with closing(connect()) as connection:
        count: int = connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
    return count


def test_a_second_directory_does_not_wipe_a_collection_unless_somebody_says_so(write: Write) -> None:
    one, two = write({"a.md": LEAVE}, "one"), write({"b.md": "Pay."}, "two")
    ingest(one, collection="hr")
    before = held_by("hr")
    with pytest.raises(SourceMismatch, match=r"was read from .*one.*collections move hr .*two.*--replace"):
        ingest(two, collection="hr")
    assert held_by("hr") == before
    assert ingest(two, collection="hr", may_replace=lambda another: True) == report(added=1, removed=1)
    # The collection is of the other directory from now on.
    assert ingest(two, collection="hr") == report(unchanged=1)
    with pytest.raises(SourceMismatch):
        ingest(one, collection="hr")


def test_the_same_directory_by_another_path_is_not_another(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = write({"a.md": LEAVE})
    ingest(directory, collection="hr")
    (tmp_path / "link").symlink_to(directory)
    assert ingest(tmp_path / "link", collection="hr") == report(unchanged=1)
    monkeypatch.chdir(directory)
    assert ingest(Path("."), collection="hr") == report(unchanged=1)


@pytest.mark.parametrize("collection", ["", "hr"], ids=["its own", "named"])
def test_a_moved_directory_is_not_read_anew(write: Write, tmp_path: Path, collection: str) -> None:
    directory, moved = write({"a.md": LEAVE, "b.md": "Pay."}), tmp_path / "moved"
    ingest(directory, collection=collection)
    before = held_by(collection) if collection else indexed(directory)
    directory.rename(moved)
    move_collection(stored_collection(collection or str(directory)), moved)
    embedder, told = FakeEmbedder(), []
    assert ingest(moved, collection, embedder=embedder, on_document=told.append) == report(unchanged=2)
    assert (embedder.embedded, told) == ([], [])
    assert (held_by(collection) if collection else indexed(moved)) == before


def test_new_directory_at_an_old_path_gets_a_new_collection(write: Write, tmp_path: Path) -> None:
    directory, moved = write({"a.md": LEAVE}), tmp_path / "moved"
    ingest(directory)
    directory.rename(moved)
    move_collection(stored_collection(str(directory)), moved)
    write({"b.md": "Pay."})
    assert ingest(directory) == report(added=1)
    assert [document for document, _, _ in indexed(directory)] == ["b.md"]
    assert ingest(moved) == report(unchanged=1)
    assert ingest(directory) == report(unchanged=1)


def test_move_does_not_overwrite_collection_already_read_there(write: Write, tmp_path: Path) -> None:
    directory = write({"a.md": LEAVE})
    ingest(directory)
    shutil.copytree(directory, tmp_path / "moved")
    ingest(tmp_path / "moved")
    with pytest.raises(InvalidInput, match="has been read already, into a collection of its own: remove that first"):
        move_collection(stored_collection(str(directory)), tmp_path / "moved")
    with pytest.raises(InvalidInput, match="does not exist"):
        move_collection(stored_collection(str(directory)), tmp_path / "nowhere")
    remove_collection(stored_collection(str(tmp_path / "moved")))
    move_collection(stored_collection(str(directory)), tmp_path / "moved")
    assert ingest(tmp_path / "moved") == report(unchanged=1)


def test_a_removed_collection_leaves_nothing_and_no_other_is_touched(write: Write) -> None:
    one, two = write({"a.md": LEAVE}, "one"), write({"b.md": "Pay.", "bad.md": b""}, "two")
    ingest(one, collection="hr")
    tables = ("embeddings", "passages", "vectors", "texts", "kept_documents", "sources")
    before, ids = [rows(table) for table in tables], manifest_ids()
    ingest(two, collection="pay")
    remove_collection(stored_collection("pay"), cached(FakeEmbedder()))
    assert ([rows(table) for table in tables], manifest_ids()) == (before, ids)
    assert held_by("pay") == []
    assert [known.name for known in stored_collections()] == ["hr"]
    assert (two / "b.md").exists()
    assert ingest(two, collection="pay").added == 1


def test_collections_are_listed_with_what_is_known_of_each(write: Write) -> None:
    one, two = write({"a.md": LEAVE, "bad.md": b""}, "one"), write({"b.md": "Pay."}, "two")
    ingest(one, collection="hr")
    ingest(two)
    named, own = stored_collections()
    assert (named.name, named.kind, named.root, named.documents, named.not_read) == ("hr", "named", one, 1, 1)
    assert (own.name, own.kind, own.root, own.documents, own.not_read) == (
        own_collection(two), "own", two, 1, 0,
    )  # fmt: skip
    assert named.size.passages == own.size.passages == 1
    assert named.size.bytes > 0 < named.read_at
    with pytest.raises(InvalidInput, match="no collection 'elsewhere'"):
        stored_collection("elsewhere")


def test_collection_from_earlier_release_is_listed_and_adopts_directory(write: Write) -> None:
    directory = write({"a.md": LEAVE})
    ingest(directory, collection="hr")
    with closing(connect()) as connection, connection:
        connection.execute("DROP TABLE sources")
    (known,) = stored_collections()
    assert (known.name, known.root, known.documents) == ("hr", None, 1)
    assert known.read_at > 0
    assert ingest(directory, collection="hr") == report(unchanged=1)
    assert stored_collection("hr").root == directory
