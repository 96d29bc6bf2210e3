"""What processes hold in tests; a process that begins imports this and nothing else of the tests."""

import os
import threading
from typing import Any

from cli.local.serving.process import Remote
from selfrag.domain.errors import Misconfigured, TemporarilyUnavailable

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


def begin_another_and_die(told: Any) -> None:
    """A process that begins one, tells its id and is killed."""
    told.send(int(Remote(Thing).call("hello", "you").split()[1]))
    os._exit(9)
