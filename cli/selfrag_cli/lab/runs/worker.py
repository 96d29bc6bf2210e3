"""Processes that answer questions, one for each setup of an evaluation that compares several."""

import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from multiprocessing.managers import BaseManager
from typing import Any, Protocol

from typing_extensions import override

from selfrag_cli.histories import ExecutionHistory
from selfrag_cli.local.serving.server import answering
from selfrag_cli.local.setup import Setup
from selfrag_cli.local.sources.place import Place


@dataclass(frozen=True)
class WorkerResult:
    """The response to a question, or None and the error; and the history of its execution."""

    response: dict[str, Any] | None
    error: str
    history: ExecutionHistory


class QuestionWorker(Protocol):
    """A process that answers questions; any number of threads may ask it at a time."""

    def execute(self, question_id: str, payload: Mapping[str, object]) -> WorkerResult:
        """Run a question to its end.

        Raises EOFError or OSError if the process is gone.
        """


class SetupWorker(QuestionWorker):
    """The executions of a place's questions with a setup, in a process that ends with the one that began it."""

    def open(self, place: Place, setup: Setup) -> None:
        """Make ready; raises selfrag's typed errors."""
        threading.Thread(target=end_with_parent, daemon=True).start()
        # Kept, or the stores would be closed at once.
        self._opened = ExitStack()
        self._executions, _ = self._opened.enter_context(answering(place, setup, keeps_histories=False))

    @override
    def execute(self, question_id: str, payload: Mapping[str, object]) -> WorkerResult:
        ended = self._executions.execute(question_id, payload)
        return WorkerResult(ended.output, ended.error, ExecutionHistory(question_id, ended.history))


class Processes(BaseManager):
    """A process whose objects are called from here, each call in a thread over there."""


Processes.register("SetupWorker", SetupWorker)


@contextmanager
def workers(place: Place, setups: Sequence[Setup]) -> Iterator[list[QuestionWorker]]:
    """Begin a process for each setup, and end them with the block; raises selfrag's typed errors."""
    with ExitStack() as processes:
        started: list[Any] = []
        for setup in setups:
            manager: Any = processes.enter_context(Processes(ctx=get_context("spawn")))
            started.append(manager.SetupWorker())
            started[-1].open(place, setup)
        yield started


def end_with_parent() -> None:
    """End this process when the one that began it has ended."""
    parent = parent_process()
    if parent:
        parent.join()
        os._exit(1)
