"""Ctrl-C and hostile uploads: a command can be interrupted at any moment, and a hostile file does not affect others."""

import os
import re
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import httpx2
import pytest

from tests.e2e.test_serve import WRITABLE, served, settled, upload
from tests.support.command import Command
from tests.support.documents.hostile import honest, hostile
from tests.support.serving import eventually

pytestmark = pytest.mark.long

MEGABYTE = 1_000_000
# On a busy machine; it is two seconds on one that does nothing else.
MAX_SECONDS = 10
# A file by its kind, token (of ordinary words without one) and size, and when it is interrupted after its worker began.
MOMENTS = [
    ("md", "* a\n", 4 * MEGABYTE, 1.0),
    ("md", "# a\n", 4 * MEGABYTE, 0.0),
    ("html", "<p>", 2 * MEGABYTE, 2.0),
    ("txt", "年。", 4 * MEGABYTE, 1.0),
    ("txt", "a ", 4 * MEGABYTE, 3.0),
    ("csv", "a|b\n", 4 * MEGABYTE, 2.0),
    ("xlsx", "[$", 4 * MEGABYTE, 1.0),
    ("eml", "e.g. ", 4 * MEGABYTE, 4.0),
    ("md", "", 4 * MEGABYTE, 8.0),
    ("txt", "", 4 * MEGABYTE, 4.0),
]


def children_of(process: int) -> list[int]:
    children = list[int]()
    for thread in Path(f"/proc/{process}/task").iterdir():
        with suppress(OSError):  # a thread that has ended meanwhile
            children += map(int, (thread / "children").read_text().split())
    return children


def is_at_work(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize(("kind", "token", "size", "moment"), MOMENTS)
def test_ctrl_c_ends_an_ingestion_at_any_moment_and_leaves_no_worker(
    fresh: Command,
    tmp_path: Path,
    record_property: Callable[[str, str], None],
    kind: str,
    token: str,
    size: int,
    moment: float,
) -> None:
    directory = tmp_path / "documents"
    directory.mkdir()
    (directory / f"large.{kind}").write_bytes(hostile(kind, token, size) if token else honest(kind, size))
    process = fresh.start("ingest", str(directory))
    workers = eventually(lambda: children_of(process.pid) or None)
    time.sleep(moment)
    assert process.poll() is None, "it ended before it was interrupted"
    workers += children_of(process.pid)
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    took = time.monotonic() - began
    record_property("figures", f"{kind} of {token!r}, {moment} s after its worker began: {took:.2f} s to the end")
    assert process.returncode == 128 + signal.SIGINT, told
    # A file that is read fast is embedded when the command ends.
    assert re.search(r"Interrupted: (0 of 1 documents are in the index|[\d,]+ of [\d,]+ passages are embedded);", told)
    assert took < MAX_SECONDS
    assert not any(map(is_at_work, workers))


def test_good_upload_is_ready_while_hostile_one_fails_with_reason(fresh: Command) -> None:
    (fresh.home / "notes").mkdir()
    with served(fresh, *WRITABLE) as url, httpx2.Client(base_url=url, headers=url.key, timeout=40) as api:
        hostile_one = upload(api, "notes/hostile.md", hostile("md", "#\n", 9 * MEGABYTE))
        good = upload(api, "notes/crane.md", b"# Cranes\n\nThe harbour crane lifts 12 tonnes.\n")
        assert settled(api, good)["status"] == "ready"
        failed = settled(api, hostile_one)
        assert failed["status"] == "failed"
        assert failed["reason"].startswith("notes/hostile.md takes more than 768 MB ")


def test_the_server_ends_while_a_hostile_upload_is_read(fresh: Command) -> None:
    (fresh.home / "notes").mkdir()
    with served(fresh, *WRITABLE) as url, httpx2.Client(base_url=url, headers=url.key, timeout=40) as api:
        upload(api, "notes/hostile.md", hostile("md", "* a\n", 9 * MEGABYTE))
        process = eventually(lambda: readers() or None)
    # The kernel ends it when the ingestion, its parent, has ended.
    assert eventually(lambda: not any(map(is_at_work, process)) or None)


def readers() -> list[int]:
    """Return the worker processes whose parent this test's server is."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if b"processes.child" in path.read_bytes() and _belongs_to(int(path.parent.name), os.getpid()):
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


def _belongs_to(process: int, ancestor: int) -> bool:
    while process > 1:
        process = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
        if process == ancestor:
            return True
    return False
