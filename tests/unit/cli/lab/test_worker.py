"""Questions in a process of its own: many at once, with errors in its own words, and an end that is told."""

import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from selfrag.domain.errors import Misconfigured
from selfrag_cli.lab.runs.asking import Processes
from tests.support.remote import SECONDS, begin_another_and_die


@pytest.fixture
def thing() -> Iterator[Any]:
    manager: Any = Processes(ctx=get_context("spawn"))
    with manager:
        yield manager.Thing()


def test_questions_run_at_the_same_time_over_there_and_what_fails_is_told_in_its_own_words(thing: Any) -> None:
    with pytest.raises(Misconfigured, match="cannot be made"):
        thing.open("anything")
    thing.open()
    with ThreadPoolExecutor(2) as threads:
        answered = list(threads.map(lambda number: thing.execute(str(number), {}), range(2)))
    assert sorted(turn for _, turn in answered) == [0, 1]
    assert {process for process, _ in answered}.isdisjoint({os.getpid()})
    with pytest.raises((EOFError, OSError)):
        thing.execute("die", {})


def test_a_worker_ends_with_the_process_that_began_it() -> None:
    spawn = get_context("spawn")
    mine, theirs = spawn.Pipe()
    parent = spawn.Process(target=begin_another_and_die, args=(theirs,))
    parent.start()
    assert mine.poll(SECONDS)
    worker = Path(f"/proc/{mine.recv()}/stat")
    parent.join(SECONDS)
    for _ in range(50 * SECONDS):
        # One that has ended may be there as a zombie until its new parent looks.
        if not worker.exists() or worker.read_text().split()[2] == "Z":
            return
        threading.Event().wait(0.02)
    raise AssertionError("it lives on")
