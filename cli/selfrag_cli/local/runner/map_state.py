"""The items of a Map: some at a time, each in a lane of its own."""

import threading
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from typing import Any

from selfrag_cli.local.runner.failures import Aborted, Failure
from selfrag_cli.local.runner.lane import Lane

# With MaxConcurrency 0 an inline Map runs as many at a time.
MOST_AT_ONCE = 40

Process = Callable[[Any, Lane], Any]


def each_item(name: str, items: Sequence[Any], at_once: int, lane: Lane, process: Process) -> list[Any]:
    """Process each item, and return the results in the order of the items.

    Raises what the first item that fails raises: no other begins then, and those that have begun end with the state
    that they are in.
    """
    lane.note("MapStateStarted", length=len(items))
    one = _Items(name, lane, process)
    waiting: SimpleQueue[tuple[int, Any]] = SimpleQueue()
    for numbered in enumerate(items):
        waiting.put(numbered)
    most = min(at_once or MOST_AT_ONCE, len(items))
    threads = [threading.Thread(target=one.work, args=(waiting,), daemon=True, name=name) for _ in range(most)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lane.last = max(one.last, lane.last)
    if one.failure:
        if isinstance(one.failure, Failure):
            one.failure.event = "MapStateFailed"
        raise one.failure
    lane.note("MapStateSucceeded")
    return [one.results[number] for number in range(len(items))]


class _Items:
    """The state that the threads of a Map share: the results by the items' numbers, and the first failure."""

    def __init__(self, name: str, lane: Lane, process: Process) -> None:
        self._name, self._lane, self._process = name, lane, process
        self._stopped = threading.Event()
        self.results: dict[int, Any] = {}
        self.failure: BaseException | None = None
        self.last = 0

    def work(self, waiting: "SimpleQueue[tuple[int, Any]]") -> None:
        """Process one item after another until none waits, or one has failed."""
        while not self._stopped.is_set():
            try:
                number, item = waiting.get_nowait()
            except Empty:
                return
            inner, named = self._lane.inner(self._stopped), {"name": self._name, "index": number}
            inner.note("MapIterationStarted", **named)
            try:
                self.results[number] = self._process(item, inner)
            except Aborted:
                inner.note("MapIterationAborted", **named)
            except BaseException as error:
                inner.note("MapIterationFailed", **named)
                self.failure = self.failure or error
                self._stopped.set()
            else:
                inner.note("MapIterationSucceeded", **named)
            self.last = max(self.last, inner.last)
