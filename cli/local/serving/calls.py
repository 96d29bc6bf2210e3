"""What a process does that holds an object for another one: it answers calls of the object's methods."""

import signal
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from selfrag.domain.errors import SelfragError


def work(connection: Connection, make: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    """What the process does: make the object, and answer calls until the other end of the connection is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # where it could not be held back
    replying = threading.Lock()

    def reply(number: int, called: Callable[[], Any]) -> Any:
        told: tuple[int, Exception | None, Any]
        try:
            value = called()
            told = (number, None, value if number else None)
        except SelfragError as error:
            value, told = None, (number, error, None)
        except Exception as error:  # of its message the logs here have nothing: it may repeat what somebody asked
            value, told = None, (number, RuntimeError(type(error).__name__), None)
        with replying:
            connection.send(told)
        return value

    made = reply(0, lambda: make(*arguments))
    while made is not None:
        try:
            number, method, given = connection.recv()
        except (EOFError, OSError):
            return
        bound = getattr(made, method)
        threading.Thread(target=reply, args=(number, lambda b=bound, g=given: b(*g)), daemon=True).start()
