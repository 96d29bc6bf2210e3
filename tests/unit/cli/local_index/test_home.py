"""The directory in which the laptop keeps its state."""

import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from selfrag.domain.errors import Misconfigured
from selfrag_cli.local.home import connect, home, open_transaction


def test_selfrag_home_names_the_directory_and_only_its_owner_may_enter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SELFRAG_HOME", str(tmp_path / "a" / "b"))
    assert home() == tmp_path / "a" / "b"
    assert home().stat().st_mode & 0o777 == 0o700


def test_without_selfrag_home_the_xdg_state_directory_holds_the_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SELFRAG_HOME", "")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert home() == tmp_path / "state" / "selfrag"


@pytest.mark.parametrize("xdg", ["", "relative/path"])
def test_without_a_usable_xdg_directory_the_users_own_state_directory_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, xdg: str
) -> None:
    monkeypatch.delenv("SELFRAG_HOME")
    monkeypatch.setenv("XDG_STATE_HOME", xdg)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert home() == tmp_path / ".local" / "state" / "selfrag"


def test_a_home_that_cannot_be_made_is_said_in_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("SELFRAG_HOME", str(tmp_path / "file" / "home"))
    with pytest.raises(Misconfigured, match=r"^The directory for selfrag's state cannot be created: .*\.$"):
        home()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_home_that_cannot_be_written_is_said_in_one_sentence(home: Path) -> None:
    home.mkdir(mode=0o500)
    with pytest.raises(Misconfigured, match=r"cannot be written\.$"):
        connect()


def test_damaged_database_error_says_what_deletion_would_lose(home: Path) -> None:
    home.mkdir()
    (home / "selfrag.sqlite3").write_text("This is not a database, but it is long enough to be taken for one." * 10)
    with pytest.raises(Misconfigured, match=r"is damaged \(file is not a database\)\. It holds .* You may delete it"):
        connect("CREATE TABLE IF NOT EXISTS t (n)")


def test_failed_transaction_is_rolled_back() -> None:
    def half_way() -> None:
        with open_transaction(connection):
            connection.execute("INSERT INTO t VALUES (1)")
            raise ZeroDivisionError

    with closing(connect("CREATE TABLE IF NOT EXISTS t (n)")) as connection:
        with pytest.raises(ZeroDivisionError):
            half_way()
        assert connection.execute("SELECT count(*) FROM t").fetchone() == (0,)


def test_several_processes_may_open_and_write_a_new_home_at_once() -> None:
    program = """
from selfrag_cli.local.home import connect, open_transaction
for _ in range(10):
    connection = connect("CREATE TABLE IF NOT EXISTS t (n); CREATE INDEX IF NOT EXISTS i ON t (n)")
    with open_transaction(connection):
        connection.execute("INSERT INTO t VALUES (1)")
    connection.close()
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    processes = [subprocess.Popen([sys.executable, "-c", program], env=environment) for _ in range(6)]
    assert [process.wait() for process in processes] == [0] * 6
    with closing(connect()) as connection:
        assert connection.execute("SELECT count(*) FROM t").fetchone() == (60,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
