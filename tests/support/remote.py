"""What processes hold in tests; a process that begins imports this and nothing else of the tests."""

import os
import threading
from typing import Any

from cli.local.serving.process import Remote
from selfrag.domain.errors import Misconfigured, TemporarilyUnavailable
from selfrag.ports.executions import Snapshot

SECONDS = 30


class Thing:
    """An object without a purpose."""

    def __init__(self, name: str = "thing") -> None:
        if name == "impossible":
            raise Misconfigured("it cannot be made.")
        self._name, self._both = name, threading.Barrier(2)

    def hello(self, to: str) -> str:
        return f"{self._name} {os.getpid()} {to}"

    def meet(self) -> int:
        return self._both.wait(SECONDS)

    def die(self) -> None:
        os._exit(3)

    def sleep(self) -> None:
        threading.Event().wait()

    def fail(self, how: str) -> None:
        raise TemporarilyUnavailable("busy") if how == "typed" else ValueError("what somebody asked")


class Answering:
    """A worker that does what a question says: `die`, `wait` for ever, or be answered with the id of its process."""

    def __init__(self, home: str = "") -> None:
        if home == "nowhere":
            raise Misconfigured("there is no such home.")
        self._at_work: set[str] = set()

    def answer(self, question_id: str, payload: dict[str, Any]) -> dict[str, Any]:
        self._at_work.add(question_id)
        if payload["question"] == "die":
            os._exit(3)
        if payload["question"] == "wait":
            threading.Event().wait()
        return {"process": os.getpid()}

    def snapshot(self, question_id: str) -> Snapshot | None:
        return Snapshot("RUNNING", None) if question_id in self._at_work else None

    def history(self, question_id: str) -> list[Any]:
        return [os.getpid()] if question_id in self._at_work else []


def begin_another_and_die(told: Any) -> None:
    """A process that begins one, tells its id and is killed."""
    told.send(int(Remote(Thing).call("hello", "you").split()[1]))
    os._exit(9)
