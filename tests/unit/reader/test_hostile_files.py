"""Files that ask for too much: each is refused with a reason, and none harms the others or this process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from selfrag.domain.errors import BadDocument, Misconfigured, TemporarilyUnavailable
from selfrag.reader.processes import pool
from selfrag.reader.processes.pool import ContainedFunction, Pool, WorkerProcess

# A module that the worker imports; each function fails like a C library.
LIBRARY = """
import os, sys, time
def spins(key, content):
    while True: pass
def spins_at(key, content):
    os.write(os.open(key, os.O_WRONLY), b"at work")
    while True: pass
def sleeps(key, content): time.sleep(60)
def repeats(key, content): return "x" * 1000
def crashes(key, content): os.kill(os.getpid(), 11)
def prints(key, content):
    print("noise", flush=True); sys.stderr.write("noise"); os.write(1, b"noise"); return len(content)
def environment(key, content): return sorted(os.environ)
def process(key, content): return os.getpid()
def fails(key, content): raise KeyError("x")
def grows(key, content):
    global held
    held = bytearray(300 << 20); held[::4096] = b"x" * len(held[::4096])
    return os.getpid()
"""


@pytest.fixture
def library(modules: Path) -> None:
    (modules / "library_of_a_test.py").write_text(LIBRARY)


def called(name: str, content: bytes = b"x") -> object:
    return ContainedFunction(f"library_of_a_test:{name}")("a.bin", content)


@pytest.mark.usefixtures("library")
def test_one_process_reads_file_after_file() -> None:
    assert called("process") == called("process")


@pytest.mark.usefixtures("library")
def test_the_process_gets_no_key_and_no_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret")
    monkeypatch.setenv("SELFRAG_HOME", "x")
    names = called("environment")
    assert isinstance(names, list)
    assert not [name for name in names if "KEY" in name or "SELFRAG" in name or "AWS" in name]


@pytest.mark.usefixtures("library")
def test_library_output_on_stdout_is_not_taken_as_reply() -> None:
    assert called("prints", b"four") == 4


@pytest.mark.usefixtures("library")
def test_slow_file_is_rejected_and_next_one_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "MAX_SECONDS", 1)
    with pytest.raises(BadDocument, match=r"^a\.bin takes more than 1 seconds to read; split it, or "):
        called("spins")
    assert called("prints", b"four") == 4


@pytest.mark.usefixtures("library")
def test_idle_reading_and_oversized_results_are_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(pool, "MAX_WAIT", 1)
        with pytest.raises(BadDocument, match=r"^a\.bin takes more than 60 seconds to read; split it, or "):
            called("sleeps")
    monkeypatch.setattr(pool, "MAX_REPLY", 500)
    with pytest.raises(BadDocument, match=r"^a\.bin takes more than 768 MB of memory to read; split it, or "):
        called("repeats")
    assert called("prints", b"four") == 4


@pytest.mark.usefixtures("library")
def test_a_crash_refuses_the_file_and_the_next_one_is_read() -> None:
    with pytest.raises(BadDocument, match=r"^a\.bin is a damaged file and cannot be read; save it again, or "):
        called("crashes")
    assert called("prints", b"four") == 4


@pytest.mark.usefixtures("library")
def test_a_fault_of_a_reader_refuses_its_file_alone() -> None:
    with pytest.raises(BadDocument, match=r"^a\.bin cannot be read \(KeyError\): save it again, or "):
        called("fails")


@pytest.mark.usefixtures("library")
def test_a_process_that_has_grown_is_replaced() -> None:
    assert called("grows") != called("process")


@pytest.mark.usefixtures("library")
def test_waiting_callers_get_an_error_when_workers_stop() -> None:
    workers = Pool()
    worker = workers.take()
    workers.stop()
    with pytest.raises(TemporarilyUnavailable):
        worker.ask({"function": "library_of_a_test:spins", "key": "a", "arguments": {}}, b"")
    workers.give_back(worker)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the limit of time ends it")
@pytest.mark.usefixtures("library")
def test_a_process_at_work_ends_when_the_parent_is_killed(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    program = (
        f"import sys; sys.path[:] = {sys.path!r}\n"
        "from selfrag.reader.processes.pool import ContainedFunction\n"
        f"ContainedFunction('library_of_a_test:spins_at')({str(pipe)!r}, b'')"
    )
    parent = subprocess.Popen([sys.executable, "-c", program])
    with pipe.open() as opened:
        assert opened.read(len("at work")) == "at work"
        parent.kill()
        parent.wait()
        assert opened.read() == ""  # the worker, which holds the pipe, has ended


def test_a_worker_that_cannot_begin_blames_no_document(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])
    worker = WorkerProcess()
    with pytest.raises(Misconfigured, match=r"^The process that reads files cannot begin: "):
        worker.ask({"function": "a:b", "key": "a", "arguments": {}}, b"")
    worker.end()
