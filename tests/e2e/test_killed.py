"""Commands that are killed at any statement, and two that use one home: nothing is lost, nothing is there twice."""

import os
import random
import re
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from selfrag_cli.local.home import connect
from selfrag_cli.local.index import SCHEMA
from selfrag_cli.local.sources.source import own_collection
from tests.support.command import Command

pytestmark = pytest.mark.long

TIMES = int(os.environ.get("SELFRAG_TEST_KILLS", "10"))
QUESTION = "What is the fee of place 3?"
# Runs a command, and sends it a signal before one of the statements that it has SQLite carry out; tells how many there
# were.
PROGRAM = """
import atexit, os, signal, sys, threading
from selfrag_cli.local import home
left, sent, opened = int(sys.argv[1]), int(sys.argv[2]), home._open
def count(statement):
    global left
    # SQLite drops what a callback raises, as Ctrl-C does in the main thread.
    left -= sent != signal.SIGINT or threading.current_thread() is not threading.main_thread()
    if left == 0:
        os.kill(os.getpid(), sent)
def counting(path, schema):
    connection = opened(path, schema)
    connection.set_trace_callback(count)
    return connection
home._open = counting
atexit.register(lambda: sys.stderr.write(f"{-left}\\n"))
sys.argv = ["selfrag", *sys.argv[3:]]
from selfrag_cli.main import main
main()
"""


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    directory = tmp_path / "documents"
    directory.mkdir()
    return directory


def write(documents: Path, version: int) -> None:
    for place in range(4):
        text = f"# DocumentSource {place}\n\nThe fee of place {place} is {10 * place + version} euros."
        (documents / f"{place}.md").write_text(text, encoding="utf-8")


def signalled(
    command: Command, statement: int, number: signal.Signals, *arguments: str
) -> "subprocess.CompletedProcess[str]":
    """Run a command that gets a signal before a statement."""
    program = [sys.executable, "-c", PROGRAM, str(statement), str(int(number)), *arguments]
    return subprocess.run(program, env=command.env(), cwd=command.home, capture_output=True, text=True, timeout=240)


def ended(command: Command, statement: int, *arguments: str) -> tuple[int, int]:
    """Return how a command ended that was to be killed at a statement, and how many it had SQLite carry out."""
    process = signalled(command, statement, signal.SIGKILL, *arguments)
    return process.returncode, int(process.stderr.splitlines()[-1]) if process.returncode == 0 else 0


def held(command: Command, documents: Path) -> list[str]:
    """Return the texts that the index holds; each of them is known to the manifest, once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SELFRAG_HOME", str(command.home / "state"))
        with closing(connect(SCHEMA)) as connection:
            shown = "SELECT json_extract(texts.passage, '$.text') FROM passages JOIN texts ON texts.rowid = number"
            texts = connection.execute(f"{shown} WHERE collection = ?", (own_collection(documents),)).fetchall()
            own_ids = connection.execute("SELECT id FROM passages").fetchall()
            known = connection.execute(
                "SELECT json_extract(value, '$.S') FROM kept_documents, json_each(item, '$.ids.M')"
            ).fetchall()
    assert sorted(own_ids) == sorted(known)
    return sorted(text for (text,) in texts)


def test_command_resumes_after_kill_at_any_statement(tmp_path: Path, documents: Path, record_property: Any) -> None:
    command, draw, killed = Command(tmp_path), random.Random(27), 0
    arguments = {0: ("ingest", str(documents)), 1: ("ask", "--json", "--docs", str(documents), QUESTION)}
    write(documents, 0)
    assert command(*arguments[0]).code == 0
    counted = dict.fromkeys(arguments, 0)
    for version in range(1, TIMES + 3):
        write(documents, version)
        way = version % 2
        # The first run of each way says how many statements there are.
        statement = draw.randint(1, counted[way]) if counted[way] else -1
        code, statements = ended(command, statement, *arguments[way])
        assert code in (0, -signal.SIGKILL)
        killed += code != 0
        counted[way] = counted[way] or statements
        response = command(*arguments[1]).response
        assert f"{30 + version} euros" in response["answer"]
        assert held(command, documents) == sorted(
            f"DocumentSource {place}\nThe fee of place {place} is {10 * place + version} euros." for place in range(4)
        )
        assert command("trace", response["id"]).code == 0
    record_property("figures", f"{killed} commands killed, of about {counted} statements each")
    assert killed > TIMES / 2


def test_interrupted_command_reports_progress_and_resumes(tmp_path: Path, documents: Path) -> None:
    command = Command(tmp_path)
    write(documents, 0)
    # Some of the documents are being read by then, and none has to be in the index.
    process = signalled(command, 60, signal.SIGINT, "ingest", str(documents))
    assert process.returncode == 130
    told = re.search(
        r"selfrag: Interrupted: (\d) of 4 documents are in the index; the same command goes on", process.stderr
    )
    assert told, process.stderr
    assert command("ingest", str(documents)).out.startswith(f"{4 - int(told[1])} added")


def test_two_commands_may_use_one_home_at_once(tmp_path: Path, documents: Path) -> None:
    command = Command(tmp_path)
    for version in range(2):
        write(documents, version)
        asked = [command.start("ask", "--json", "--docs", str(documents), QUESTION) for _ in range(2)]
        told = [(*process.communicate(timeout=240), process.returncode) for process in asked]
        assert [code for _, _, code in told] == [0, 0], told
        assert all(f"{30 + version} euros" in out for out, _, _ in told)
        assert len(held(command, documents)) == 4
