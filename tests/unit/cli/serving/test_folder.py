"""A directory as a bucket: what may be put into it and what may not."""

import os
from pathlib import Path

import pytest

from selfrag.domain.errors import InvalidInput, TemporarilyUnavailable
from selfrag_cli.local.serving.bucket import Folder
from selfrag_cli.local.sources.source import documents_below


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "elsewhere").mkdir()
    return tmp_path / "docs"


def everything(directory: Path) -> dict[str, bytes | None]:
    """Return the contents of all files in a directory and its siblings."""
    found = sorted(directory.parent.rglob("*"))
    return {str(path): path.read_bytes() if path.is_file() else None for path in found}


def test_a_file_is_put_replaced_and_deleted_in_folders_made_for_it(directory: Path) -> None:
    folder = Folder(directory, "hr")
    for content in (b"first", b"second, longer", b""):
        folder.put("hr/a b/\u00e4/leave.md", content)
        assert documents_below(directory, "hr").paths == ["a b/\u00e4/leave.md"]
        assert (directory / "a b" / "\u00e4" / "leave.md").read_bytes() == content
    assert {path.name for path in directory.rglob("*")} == {"a b", "\u00e4", "leave.md"}
    folder.delete("hr/a b/\u00e4/leave.md")
    folder.delete("hr/a b/\u00e4/leave.md")
    folder.delete("hr/no/such/leave.md")
    assert documents_below(directory, "hr").paths == []


@pytest.mark.parametrize(
    ("key", "word"),
    [
        ("x.md", "must begin with hr/"),
        ("hr", "must begin with hr/"),
        ("pay/x.md", "must begin with hr/"),
        ("hr/../x.md", "dot"),
        ("hr/a/../../elsewhere/x.md", "dot"),
        ("hr//x.md", "dot"),
        ("hr/.x.md", "hidden"),
        ("hr/.git/x.md", "hidden"),
        ("hr/" + "\u00e4" * 127 + ".md", "255 bytes"),
        ("hr/linked/x.md", "in its way"),
        ("hr/inner/x.md", "in its way"),
        ("hr/inner/deeper/x.md", "in its way"),
        ("hr/file.md/x.md", "in its way"),
        ("hr/folder.md", "in its way"),
    ],
)
def test_invalid_document_paths_are_refused_without_changes(directory: Path, key: str, word: str) -> None:
    (directory / "linked").symlink_to(directory.parent / "elsewhere")
    (directory / "folder.md").mkdir()
    (directory / "inner").symlink_to(directory / "folder.md")  # what lies behind a link is not ingested
    (directory / "file.md").write_bytes(b"old")
    (directory.parent / "elsewhere" / "x.md").write_bytes(b"not ours")
    before, folder = everything(directory), Folder(directory, "hr")
    for attempt in (folder.check, lambda key: folder.put(key, b"new"), folder.delete):
        if key == "hr/folder.md" and attempt == folder.delete:
            continue
        with pytest.raises(InvalidInput, match=word):
            attempt(key)
    assert everything(directory) == before


def test_a_linked_file_is_replaced_and_what_it_led_to_stays(directory: Path) -> None:
    other = directory.parent / "elsewhere" / "x.md"
    other.write_bytes(b"not ours")
    (directory / "x.md").symlink_to(other)
    Folder(directory, "hr").put("hr/x.md", b"new")
    assert (directory / "x.md").read_bytes() == b"new"
    (directory / "y.md").symlink_to(other)
    Folder(directory, "hr").delete("hr/y.md")
    assert other.read_bytes() == b"not ours"
    assert documents_below(directory, "hr").paths == ["x.md"]


def test_a_file_that_cannot_be_written_leaves_the_old_one(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Folder(directory, "hr")
    folder.put("hr/x.md", b"old")

    def full(file: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(TemporarilyUnavailable, match="No space left"):
        folder.put("hr/x.md", b"new")
    assert everything(directory)[str(directory / "x.md")] == b"old"
    assert [path.name for path in directory.iterdir()] == ["x.md"]


def test_a_file_on_its_way_in_is_none_of_the_documents(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[str]] = []
    monkeypatch.setattr(os, "fsync", lambda file: seen.append(documents_below(directory, "hr").paths))
    Folder(directory, "hr").put("hr/x.md", b"new")
    assert seen == [[]]
