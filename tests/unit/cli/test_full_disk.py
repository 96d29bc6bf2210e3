"""A full disk is one sentence that says what to do, whatever a command was writing."""

import errno
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from selfrag_cli import main


def full_database(path: Path) -> Exception:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA max_page_count = 2")
        try:
            connection.executescript("CREATE TABLE a (b); CREATE TABLE c (d); CREATE TABLE e (f);")
        except sqlite3.Error as error:
            return error
    raise AssertionError("the database has room")


@pytest.mark.parametrize("kind", ["file", "quota", "database"])
def test_a_full_disk_is_named_and_ends_any_command(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    error = {
        "file": OSError(errno.ENOSPC, "No space left on device", "notes.lock"),
        "quota": OSError(errno.EDQUOT, "Disk quota exceeded"),
        "database": full_database(tmp_path / "x"),
    }[kind]

    def fail() -> None:
        raise error

    monkeypatch.setenv("SELFRAG_HOME", str(tmp_path))
    monkeypatch.setattr(main, "app", fail)
    with pytest.raises(SystemExit, match="2"):
        main.main()
    message = capsys.readouterr().err
    assert message.startswith("selfrag: The disk is full, so ")
    assert message.endswith(" cannot be written: free some space and try again; nothing stored is lost.\n")
    assert "Unexpected" not in message
