"""An object in a process of its own: its methods are called from here, many at a time, each in a thread over there."""

import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from itertools import count
from multiprocessing import get_context
from typing import Any

from cli.local.serving.calls import work

# The only way to begin a process that all systems have, and that takes no thread's lock with it.
_SPAWN = get_context("spawn")
END_SECONDS = 5.0

Make = Callable[..., Any]


class Gone(Exception):
    """The process ended before it had replied."""


class Remote:
    """The object that `make` makes of the arguments, in a process that is begun at once and ends with this one.

    `make` is a function or class that can be imported by its name. `on_end` is called, in a thread, when the process
    has ended by itself.
    """

    def __init__(self, make: Make, *arguments: Any, on_end: Callable[[], None] = lambda: None) -> None:
        self._connection, theirs = _SPAWN.Pipe()
        self._process = _SPAWN.Process(target=work, args=(theirs, make, arguments), daemon=True)
        with _no_interruptions():
            self._process.start()
        theirs.close()  # so that the end of the process ends the connection
        self._numbers = count(1)
        self._lock = threading.Lock()
        # The reply to no call says that the object is made, or why it is not.
        self._made: Future[Any] = Future()
        self._waiting: dict[int, Future[Any]] = {0: self._made}
        self._on_end, self._ended = on_end, False
        self._listener = threading.Thread(target=self._listen, name="listening to a process", daemon=True)
        self._listener.start()

    @property
    def at_work(self) -> int:
        """How many calls wait for their reply."""
        return len(self._waiting)

    @property
    def has_ended(self) -> bool:
        """Whether the process is gone."""
        return self._ended

    @property
    def was_made(self) -> bool:
        """Whether the object was made."""
        return self._made.done() and self._made.exception() is None

    def wait_until_made(self) -> None:
        """Return when the object is made; raises what kept it from that."""
        self._made.result()

    def call(self, method: str, *arguments: Any) -> Any:
        """Call a method and give what it returns; raises what it raises, or Gone."""
        return self.begin(method, *arguments).result()

    def begin(self, method: str, *arguments: Any) -> "Future[Any]":
        """Call a method, and give what will have what it returns or raises; raises Gone if it could not be called."""
        reply: Future[Any] = Future()
        with self._lock:
            if self._ended:
                raise Gone
            number = next(self._numbers)
            self._waiting[number] = reply
            try:
                self._connection.send((number, method, arguments))
            except OSError:  # the listener is about to notice
                self._ended = True
                del self._waiting[number]
                raise Gone from None
        return reply

    def end(self) -> None:
        """End the process; what is at work in it is not waited for."""
        self._on_end = lambda: None
        self._process.terminate()
        self._process.join(END_SECONDS)
        if self._process.is_alive():
            self._process.kill()
        self._listener.join(END_SECONDS)

    def _listen(self) -> None:
        while True:
            try:
                number, error, value = self._connection.recv()
            except Exception:  # the process is gone, or what it says cannot be read, and it has to go
                break
            reply = self._waiting.pop(number)
            if error is None:
                reply.set_result(value)
            else:
                reply.set_exception(error)
        with self._lock:
            self._ended = True
            left, self._waiting = list(self._waiting.values()), {}
            self._connection.close()
        for reply in left:
            reply.set_exception(Gone())
        self._process.terminate()
        self._process.join()
        self._on_end()


@contextmanager
def _no_interruptions() -> Iterator[None]:
    """Let a process that is begun in the block never see Ctrl-C at the terminal, which is for who began it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
