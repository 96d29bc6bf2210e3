"""Unreadable files of a directory are reported, and the others are indexed."""

import contextlib
import errno
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from selfrag.domain.errors import InvalidInput, Misconfigured
from selfrag.domain.kinds import EXTENSIONS
from selfrag.domain.passages import Bounds
from selfrag.ports.index import IndexEntry, WriteOutcome
from selfrag_cli.local.asking import stored_documents
from selfrag_cli.local.index import EmbeddedIndex, open_index
from selfrag_cli.local.sources.report import NothingUsable
from selfrag_cli.local.sources.source import own_collection, source_to_read
from selfrag_cli.terminal import Progress
from tests.support.fakes import FakeEmbedder
from tests.support.reading import sync
from tests.unit.cli.local_index.conftest import Write
from tests.unit.cli.local_index.reading import LEAVE, indexed, ingest, report

pytestmark = pytest.mark.long


def test_a_bad_file_is_a_warning_and_the_others_are_read(write: Write) -> None:
    directory = write({"a.md": LEAVE, "bad.docx": "no ZIP", "empty.txt": "", "nul.html": b"a\0b"})
    assert ingest(directory) == report(
        added=1,
        failed=3,
        warnings=[
            "bad.docx is not a Word document, whatever its name says; save it again, or name it by what it is.",
            "empty.txt holds no words.",
            "nul.html holds a NUL byte, so it is not text; save it as UTF-8 text.",
        ],
    )


def test_a_file_that_is_too_large_is_a_warning(write: Write) -> None:
    directory = write({"a.md": LEAVE, "large.txt": b"a" * (10 * 1024 * 1024 + 1)})
    warning = "large.txt is larger than 10 MB; split it into several files."
    assert ingest(directory) == report(added=1, failed=1, warnings=[warning])


def test_a_file_that_is_gone_before_it_is_read_is_a_warning(write: Write) -> None:
    directory = write({f"{n:02}.md": LEAVE for n in range(20)})
    told = ingest(directory, on_document=lambda *_: (directory / "19.md").unlink(missing_ok=True))
    assert told == report(added=19, unreadable=1, warnings=["19.md cannot be read: No such file or directory."])


DENIED = {
    "a folder that cannot be listed": ("scandir", "hr", {"hr/a.md", "hr/sub/b.md", "hr/sub/c.md"}),
    "a folder below it": ("scandir", "hr/sub", {"hr/sub/b.md", "hr/sub/c.md"}),
    "the directory itself": ("scandir", "", {"hr/a.md", "hr/sub/b.md", "hr/sub/c.md", "ops/d.md"}),
    "a folder whose files cannot be seen": ("lstat", "hr", {"hr/a.md", "hr/sub/b.md", "hr/sub/c.md"}),
    "a file that cannot be opened": ("open", "ops/d.md", {"ops/d.md"}),
}


@pytest.mark.parametrize(("function", "path", "kept"), DENIED.values(), ids=DENIED.keys())
def test_unreadable_document_keeps_its_passages(
    write: Write, monkeypatch: pytest.MonkeyPatch, function: str, path: str, kept: set[str]
) -> None:
    documents = {"hr/a.md": LEAVE, "hr/sub/b.md": "Pay.", "hr/sub/c.md": "Tea.", "ops/d.md": "Crane."}
    directory = write(documents)
    ingest(directory)
    before = indexed(directory)
    module = Path if function in ("open", "lstat") else os
    usual = getattr(module, function)

    def denied(at: Any, *more: Any, **named: Any) -> Any:
        is_denied = directory / path in Path(at).parents if function == "lstat" else Path(at) == directory / path
        if is_denied:
            raise PermissionError(errno.EACCES, "Permission denied", str(at))
        return usual(at, *more, **named)

    with monkeypatch.context() as patch:
        patch.setattr(module, function, denied)
        told = ingest(directory)
        listed = {row["document"]: row for row in stored_documents(source_to_read(directory))}
    assert (told.retained, told.removed, told.unchanged) == (len(kept), 0, len(documents) - len(kept))
    assert all(any(name in warning for warning in told.warnings) for name in kept)
    assert all("is kept" in listed[name]["warnings"][0] for name in kept)
    assert indexed(directory) == before
    assert ingest(directory) == report(unchanged=len(documents))


MAX = {
    "an empty directory": ["hr/a.md", "hr/b.md", "hr/c.md", "ops/d.md", "ops/e.md"],
    "one of two folders empty": ["hr/a.md", "hr/b.md", "hr/c.md"],
    "the smaller of two folders empty": ["ops/d.md", "ops/e.md"],
}


@pytest.mark.parametrize("gone", MAX.values(), ids=MAX.keys())
def test_more_than_half_of_a_collection_is_removed_only_if_allowed(write: Write, gone: list[str]) -> None:
    directory = write({path: f"Of {path}." for path in MAX["an empty directory"]})
    ingest(directory)
    before = indexed(directory)
    for path in gone:
        (directory / path).unlink()
    told = ingest(directory, may_replace=lambda removal: False)
    assert (told.removed, told.retained, told.brief_lines(source_to_read(directory))) == (0, len(gone), [told.loss])
    assert f"no longer {len(gone)} of the 5 documents" in told.loss
    assert f"`selfrag ingest {directory} --replace`" in told.loss
    assert sync(source_to_read(directory), embedder=FakeEmbedder(), is_trial=True).warnings[0] == told.loss
    assert indexed(directory) == before
    with contextlib.suppress(NothingUsable):
        ingest(directory)
    assert {document for document, _, _ in indexed(directory)} == {*MAX["an empty directory"]} - {*gone}


def test_small_removals_and_renames_need_no_confirmation(write: Write) -> None:
    single = write({"a.md": LEAVE}, "single")
    ingest(single)
    (single / "a.md").unlink()
    with pytest.raises(NothingUsable, match="any more"):
        ingest(single, may_replace=lambda removal: False)
    directory = write({f"{name}.md": f"Of {name}." for name in "abcd"})
    ingest(directory)
    for name in "ab":
        (directory / f"{name}.md").unlink()
        (directory / f"{'cd'['ab'.index(name)]}.md").rename(directory / f"new-{name}.md")
    told = ingest(directory, may_replace=lambda removal: False)
    assert (told.added, told.removed, told.loss) == (2, 4, "")


def test_unreadable_content_is_a_warning_and_the_rest_is_found(write: Write) -> None:
    directory = write({"pay.csv": "Name,Pay\nAda,10\nBob,20,30\n"})
    warning = "pay.csv has rows with more values than its first row has names (1 of 2)."
    assert ingest(directory) == report(added=1, warnings=[warning])
    (passage,) = indexed(directory)
    assert passage[1] == "Name, Pay\nName: Ada; Pay: 10\nName: Bob; Pay: 20; column C: 30"


def test_a_file_that_went_bad_leaves_the_index(write: Write) -> None:
    directory = write({"a.md": LEAVE, "b.md": "Good."})
    ingest(directory)
    write({"b.md": ""})
    gone = ingest(directory)
    assert (gone.failed, gone.removed, gone.unchanged, len(gone.warnings)) == (1, 0, 1, 1)
    assert [document for document, _, _ in indexed(directory)] == ["a.md"]


def test_hidden_files_and_linked_directories_are_not_read(write: Write, tmp_path: Path) -> None:
    directory = write({"a.md": LEAVE, ".hidden.md": "No.", ".git/b.md": "No.", "sub/.c/d.md": "No."})
    write({"secret.md": "No."}, "elsewhere")
    (directory / "linked").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    (directory / "loop").symlink_to(directory, target_is_directory=True)
    assert ingest(directory) == report(added=1, links=2)


def test_irregular_files_are_skipped(write: Write) -> None:
    directory = write({"a.md": LEAVE})
    os.mkfifo(directory / "pipe.md")
    (directory / "broken.md").symlink_to(directory / "nowhere.md")
    assert ingest(directory) == report(
        added=1,
        links=1,
        unreadable=1,
        warnings=["pipe.md is no file that holds something, but a pipe, a socket or a device."],
    )


def test_a_name_that_is_not_utf8_is_a_warning(write: Write) -> None:
    directory = write({"a.md": LEAVE})
    try:
        (directory / os.fsdecode(b"caf\xe9.md")).write_text(LEAVE)
    except OSError:
        pytest.skip("this file system takes only UTF-8 names")
    assert ingest(directory) == report(
        added=1, unreadable=1, warnings=["caf?.md has a name that is not valid UTF-8; rename it."]
    )


def test_a_directory_that_cannot_be_used_is_said_in_one_sentence(write: Write, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for directory, sentence in {
        tmp_path / "missing": "does not exist.",
        write({"file": "x"}) / "file": "is not a directory.",
        tmp_path / "empty": "holds no document that can be used: it is empty.",
        write({"a.png": "x", "b.tiff": "y"}, "others"): (
            "holds no document that can be used: none of its 2 files is of a kind that is read "
            f"({', '.join(sorted(EXTENSIONS))})."
        ),
        write({"b.md": "", "a.md": "\n"}, "bad"): "holds no document that can be used: a.md holds no words.",
    }.items():
        with pytest.raises(InvalidInput) as refused:
            ingest(directory)
        assert str(refused.value) == f"{directory} {sentence}"


@pytest.fixture
def index_fails(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Exception, int], None]:
    """Let writes of passages with a word fail with an error, so many times."""
    add = EmbeddedIndex.add

    def fail(word: str, error: Exception, times: int) -> None:
        left = [error] * times

        def failing(index: EmbeddedIndex, entries: Sequence[IndexEntry]) -> WriteOutcome:
            if left and any(word in entry.passage.text for entry in entries):
                raise left.pop()
            return add(index, entries)

        monkeypatch.setattr(EmbeddedIndex, "add", failing)

    return fail


def test_lock_files_of_office_programs_are_passed_over(write: Write) -> None:
    locks = {"~$plan.docx": b"\x03Ada" + b" " * 158, "a/~$x.xlsx": b"x", ".~lock.plan.odt#": b"x"}
    directory = write({"plan.md": LEAVE, **locks})
    assert ingest(directory) == report(added=1)


def test_a_step_that_is_misconfigured_ends_the_command_with_its_sentence(
    write: Write, index_fails: Callable[[str, Exception, int], None]
) -> None:
    directory = write({f"{n}.md": LEAVE for n in range(5)})
    index_fails("Leave", Misconfigured("The file is not there."), 1)
    with pytest.raises(Misconfigured, match="The file is not there"):
        ingest(directory)
    completed = ingest(directory)
    assert (completed.added + completed.unchanged, completed.warnings) == (5, [])


def test_documents_are_found_by_their_words_though_the_embedder_cannot_be_used(write: Write) -> None:
    class Unusable(FakeEmbedder):
        def passages(self, texts: Sequence[str]) -> list[list[float]]:
            raise Misconfigured("The model is not there.")

    directory = write({"a.md": LEAVE})
    with pytest.raises(Misconfigured, match="The model is not there"):
        ingest(directory, embedder=Unusable())
    hits = open_index().search("leave", None, 5, Bounds([own_collection(directory)])).by_text
    assert [passage.document for passage, _ in hits] == ["a.md"]


def test_failed_step_of_one_document_is_warned_and_retried(
    write: Write, index_fails: Callable[[str, Exception, int], None]
) -> None:
    directory = write({"a.md": LEAVE, "b.md": "Pay day."})
    index_fails("Pay", ZeroDivisionError(), 2)
    warning = "b.md: IndexPassages gave no result (ZeroDivisionError)."
    assert ingest(directory) == report(added=1, failed=1, warnings=[warning])
    assert ingest(directory) == report(added=1, unchanged=1)


def test_document_failed_on_busy_machine_is_retried_last(
    write: Write, index_fails: Callable[[str, Exception, int], None]
) -> None:
    index_fails("Pay", TimeoutError(), 1)
    directory = write({"a.md": LEAVE, "b.md": "Pay day.", "c.md": "Sick leave."})
    assert ingest(directory) == report(added=3)


def test_unreadable_file_is_parsed_once_and_warned_every_time(write: Write) -> None:
    directory = write({"a.md": LEAVE, "bad.md": ""})
    at_work: list[str] = []

    def note(progress: Progress) -> None:
        at_work.append(progress.name)

    first = ingest(directory, on_document=note)
    assert at_work
    at_work.clear()
    assert ingest(directory, on_document=note) == report(unchanged=1, failed=1, warnings=first.warnings)
    assert at_work == []


def test_path_longer_than_key_limit_is_a_warning(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    directory = write({"a.md": LEAVE})
    monkeypatch.chdir(directory)
    for _ in range(5):
        os.mkdir("d" * 200)
        os.chdir("d" * 200)
    with open("b.md", "w") as file:
        file.write("Deep.")
    told = ingest(directory)
    assert (told.added, len(told.warnings)) == (1, 1)
    assert told.warnings[0].endswith("lies too deep: its path may have no more than 1005 bytes.")
