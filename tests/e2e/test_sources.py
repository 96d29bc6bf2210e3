"""Sentences of `selfrag ingest`, `documents` and `collections`, at a terminal and without one."""

import json
import os
import pty
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.e2e.conftest import Run
from tests.support.command import Command, Ended
from tests.support.fakes import FakeEmbedder

pytestmark = pytest.mark.long


@pytest.fixture
def directories(tmp_path: Path) -> tuple[Path, Path]:
    """Return two directories, the second with unreadable files."""
    one, two = tmp_path / "one", tmp_path / "two"
    for directory in (one, two):
        directory.mkdir()
    (one / "a.md").write_text("# Canteen\n\nThe canteen opens at nine.\n")
    (two / "b.md").write_text("# Tea\n\nTea costs one euro.\n")
    for name in ("bad.md", "new\nline.md"):
        (two / name).write_bytes(b"")
    (two / "c.xlsy").write_text("x")
    return one, two


def answering(command: Command, answer: str, *arguments: str) -> tuple[int, str]:
    """Answer a command's prompt at a pseudo-terminal, and return its exit code and output."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "selfrag_cli.main", *arguments],
        cwd=command.home, env=command.env(), stdin=theirs, stdout=subprocess.PIPE, stderr=theirs,
    )  # fmt: skip
    os.close(theirs)
    os.write(ours, answer.encode())
    out, _ = process.communicate(timeout=120)
    shown = out
    while True:
        try:
            read = os.read(ours, 4096)
        except OSError:  # the terminal's other end is closed
            break
        if not read:
            break
        shown += read
    os.close(ours)
    return process.returncode, " ".join(shown.decode().split())


def test_another_directory_is_asked_about_at_a_terminal(fresh: Command, directories: tuple[Path, Path]) -> None:
    one, two = map(str, directories)
    assert fresh("ingest", one, "--collection", "hr").code == 0
    code, shown = answering(fresh, "n\n", "ingest", two, "--collection", "hr")
    assert code == 1
    assert "Read it in its place now?" in shown
    assert "a.md" in fresh("documents", "--collection", "hr").out
    code, shown = answering(fresh, "y\n", "ingest", two, "--collection", "hr")
    assert code == 0
    assert "1 added, 0 changed, 1 removed, 0 unchanged, 2 failed, 1 of other kinds (.xlsy 1)" in shown


def test_another_directory_is_refused_where_nobody_can_be_asked(
    here: Run, directories: tuple[Path, Path], embedder: FakeEmbedder
) -> None:
    one, two = map(str, directories)
    here("ingest", one, "--collection", "hr")
    ended = here("ingest", two, "--collection", "hr")
    assert (ended.code, ended.out, len(ended.err.splitlines())) == (2, "", 1)
    assert f"selfrag ingest {two} --collection hr --replace" in ended.err
    assert here("ingest", two, "--collection", "hr", "--replace").code == 0
    served = here("serve", "--docs", one, "--collection", "hr", "--port", "0")
    assert (served.code, "was read from" in served.err) == (2, True)


def test_every_file_is_told_of_and_strict_fails(
    here: Run, directories: tuple[Path, Path], embedder: FakeEmbedder
) -> None:
    _, two = directories
    line = "1 added, 0 changed, 0 removed, 0 unchanged, 2 failed, 1 of other kinds (.xlsy 1)\n"
    plan = here("ingest", str(two), "--dry-run")
    assert plan.out.splitlines()[0] == "would add b.md"
    assert here("documents", "--docs", str(two)).code == 2
    first = here("ingest", str(two), "--strict")
    assert (first.code, first.out) == (1, line)
    assert here("ingest", str(two)).code == 0
    for name in ("bad.md", "new\nline.md"):
        (two / name).unlink()
    assert here("ingest", str(two), "--strict").code == 0


def test_warnings_are_full_on_ingest_and_one_line_afterwards(
    here: Run, directories: tuple[Path, Path], embedder: FakeEmbedder
) -> None:
    _, two = directories
    assert here("ingest", str(two)).err.splitlines() == [
        "selfrag: warning: bad.md holds no words.",
        "selfrag: warning: new␊line.md holds no words.",
    ]
    for _ in range(2):
        assert here("search", "tea", "--docs", str(two)).err.splitlines() == [
            f"selfrag: warning: 2 documents could not be read; see `selfrag documents --docs {two}`"
        ]
    assert here("ask", "What does tea cost?", "--docs", str(two)).err.count("\n") == 1


def test_document_table_shows_each_name_once_on_one_line(
    here: Run, directories: tuple[Path, Path], embedder: FakeEmbedder
) -> None:
    _, two = directories
    here("ingest", str(two))
    table = here("documents", "--docs", str(two)).out
    assert table.count("bad.md") == 1
    assert "Holds no words." in table
    assert "new␊line.md" in table


def test_emptied_share_keeps_its_documents_until_replaced(here: Run, tmp_path: Path, embedder: FakeEmbedder) -> None:
    share = tmp_path / "share"
    share.mkdir()
    for name in "abc":
        (share / f"{name}.md").write_text(f"The {name} crane lifts 12 tonnes.\n")
    here("ingest", str(share), "--collection", "ops")
    for file in share.iterdir():
        file.unlink()
    ended = here("ingest", str(share), "--collection", "ops")
    assert (ended.code, ended.out) == (1, "")
    assert "no longer 3 of the 3 documents of its collection: a.md, b.md, c.md. They were not" in ended.err
    assert f"`selfrag ingest {share} --collection ops --replace`" in ended.err
    assert "12 tonnes" in here("search", "crane", "--collection", "ops").out
    ended = here("ingest", str(share), "--collection", "ops", "--replace")
    assert (ended.code, ended.out) == (0, "0 added, 0 changed, 3 removed, 0 unchanged, 0 failed\n")


def test_question_to_an_emptied_share_is_answered_from_before(here: Run, tmp_path: Path) -> None:
    share = tmp_path / "share"
    share.mkdir()
    for name in ("crane", "ferry", "berth"):
        (share / f"{name}.md").write_text(f"The {name} takes 12 tonnes.\n")
    here("ingest", str(share))
    for file in share.iterdir():
        file.unlink()
    ended = here("ask", "How much does the crane take?", "--docs", str(share))
    assert (ended.code, "The crane takes 12 tonnes." in ended.out) == (0, True)
    assert "a share that is not mounted looks the same" in ended.err
    assert "ready" in here("documents", "--docs", str(share)).out


def test_collections_are_listed_moved_and_removed(
    here: Run, directories: tuple[Path, Path], embedder: FakeEmbedder
) -> None:
    one, two = directories
    assert here("collections").out == "Nothing has been read yet; use `selfrag ingest`.\n"
    here("ingest", str(one))
    here("ingest", str(two), "--collection", "hr")
    listed = json.loads(here("collections", "--json").out)
    assert [(known["kind"], known["directory"], known["documents"], known["not_read"]) for known in listed] == [
        ("named", str(two), 1, 2),
        ("own", str(one), 1, 0),
    ]
    assert "2 not read" in here("collections").out
    moved = one.rename(one.parent / "moved")
    assert here("collections", "move", str(one), str(moved)).code == 0
    assert here("ingest", str(moved)).out.startswith("0 added, 0 changed, 0 removed, 1 unchanged")
    refused(here("collections", "remove", "hr"), "Say --yes to remove the collection hr")
    refused(here("collections", "remove", "nowhere"), "There is no collection 'nowhere'")
    assert here("collections", "remove", "hr", "--yes").code == 0
    assert here("collections", "remove", str(moved), "--yes").code == 0
    assert json.loads(here("collections", "--json").out) == []


@pytest.mark.parametrize("damage", ["no database", "cut off"])
def test_a_damaged_state_is_said_with_what_may_be_done(
    fresh: Command, directories: tuple[Path, Path], damage: str
) -> None:
    one = str(directories[0])
    state = fresh.home / "state" / "selfrag.sqlite3"
    assert fresh("ingest", one).code == 0
    with closing(sqlite3.connect(state)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    state.write_bytes(b"This is none. " * 400 if damage == "no database" else state.read_bytes()[:20_000])
    for arguments in (("documents", "--docs", one), ("search", "tea", "--docs", one), ("collections",)):
        refused(fresh(*arguments), str(state), "is damaged", "You may delete it", "answers and their traces are lost")


def refused(ended: Ended, *words: str) -> None:
    assert (ended.code, ended.out, len(ended.err.splitlines())) == (2, "", 1)
    for word in words:
        assert word in ended.err
