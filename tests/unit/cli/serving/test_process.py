"""An object in a process of its own: called from many threads, and its end is told to everybody who waits."""

import multiprocessing
import os
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue

import pytest

from cli.local.serving.process import Gone, Remote
from selfrag.domain.errors import Misconfigured, SelfragError, TemporarilyUnavailable
from tests.e2e.test_api import eventually
from tests.support.remote import SECONDS, Thing, begin_another_and_die


@pytest.fixture
def ended() -> SimpleQueue[str]:
    return SimpleQueue()


@pytest.fixture
def remote(ended: SimpleQueue[str]) -> Iterator[Remote]:
    made = Remote(Thing, on_end=lambda: ended.put("ended"))
    yield made
    made.end()


def test_a_method_is_called_over_there(remote: Remote) -> None:
    name, process, to = remote.call("hello", "you").split()
    assert (name, to) == ("thing", "you")
    assert int(process) != os.getpid()


def test_calls_run_at_the_same_time(remote: Remote) -> None:
    with ThreadPoolExecutor(2) as threads:
        assert sorted(threads.map(lambda _: remote.call("meet"), range(2))) == [0, 1]
    assert remote.at_work == 0


def test_an_error_comes_back_as_it_was_and_of_one_that_nobody_foresaw_the_name_alone(remote: Remote) -> None:
    with pytest.raises(TemporarilyUnavailable, match="busy"):
        remote.call("fail", "typed")
    with pytest.raises(RuntimeError, match=r"^ValueError$"):
        remote.call("fail", "other")


def test_whoever_waits_for_a_process_that_dies_is_told_and_so_is_who_began_it(
    remote: Remote, ended: SimpleQueue[str]
) -> None:
    with ThreadPoolExecutor(1) as thread:
        waiting = thread.submit(remote.call, "sleep")
        for call in (lambda: remote.call("die"), waiting.result, lambda: remote.call("hello", "again")):
            with pytest.raises(Gone):
                call()
    assert ended.get(timeout=SECONDS) == "ended"
    assert remote.was_made


def test_what_cannot_be_made_is_told_by_its_reason() -> None:
    remote = Remote(Thing, "impossible")
    with pytest.raises(Misconfigured, match="cannot be made"):
        remote.wait_until_made()
    with pytest.raises((Gone, SelfragError)):
        remote.call("hello", "you")
    assert not remote.was_made
    remote.end()


def test_ending_a_process_does_not_wait_for_what_is_at_work_and_tells_nobody(ended: SimpleQueue[str]) -> None:
    remote = Remote(Thing, on_end=lambda: ended.put("ended"))
    with ThreadPoolExecutor(1) as thread:
        waiting = thread.submit(remote.call, "sleep")
        remote.wait_until_made()
        remote.end()
        with pytest.raises(Gone):
            waiting.result(SECONDS)
    assert ended.empty()


def test_a_process_does_not_outlive_the_one_that_began_it_even_if_that_is_killed() -> None:
    spawn = multiprocessing.get_context("spawn")
    ours, theirs = spawn.Pipe()
    first = spawn.Process(target=begin_another_and_die, args=(theirs,))
    first.start()
    second = ours.recv()
    first.join(SECONDS)
    assert first.exitcode == 9
    eventually(lambda: None if state_of(second) else True)


def state_of(process: int) -> str:
    """What `ps` says of a process; nothing of one that has ended, whether or not somebody has taken note."""
    told = subprocess.run(["ps", "-o", "stat=", "-p", str(process)], capture_output=True, text=True).stdout.strip()
    return "" if told.startswith("Z") else told
