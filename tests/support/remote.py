"""A worker without a place; a process that begins imports this and nothing else of the tests."""

import os
import threading
from multiprocessing import get_context
from typing import Any

from selfrag.domain.errors import Misconfigured
from selfrag_cli.lab.runs.asking import Processes, end_with_parent

SECONDS = 60


class Thing:
    """Tells who it is when it is asked by two at once, or dies."""

    def open(self, *given: Any) -> None:
        if given:
            raise Misconfigured("it cannot be made.")
        threading.Thread(target=end_with_parent, daemon=True).start()
        self._both = threading.Barrier(2)

    def execute(self, question_id: str, payload: dict[str, Any]) -> tuple[int, int]:
        if question_id == "die":
            os._exit(3)
        return os.getpid(), self._both.wait(SECONDS)


Processes.register("Thing", Thing)


def begin_another_and_die(told: Any) -> None:
    """A process that begins one, tells its id and is killed."""
    manager: Any = Processes(ctx=get_context("spawn"))
    manager.start()
    manager.Thing().open()
    told.send(manager._process.pid)
    os._exit(9)
