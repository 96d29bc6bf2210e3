"""A clock that nothing but pauses moves: real code that waits, run in no time and always in the same order."""

import heapq
from collections.abc import Callable, Sequence
from itertools import count

from greenlet import getcurrent, greenlet


class SimulatedTime:
    """Runs processes, each a greenlet of which one runs at a time: until it pauses, and then whose time comes next."""

    def __init__(self) -> None:
        self.now = 0.0
        self._order = count()
        self._due: list[tuple[float, int, greenlet]] = []
        self._run = getcurrent()

    def clock(self) -> float:
        """Seconds since the beginning."""
        return self.now

    def start(self, process: Callable[[], None]) -> None:
        """Begin a process at this time."""
        self._wake(greenlet(process, self._run), 0.0)

    def pause(self, seconds: float) -> None:
        """Let so much time pass, in the process that calls this."""
        self._wake(getcurrent(), seconds)
        self._run.switch()

    def together(self, jobs: Sequence[Callable[[], None]], most: int) -> None:
        """Run these jobs in processes, so many at a time, and come back when all have ended."""
        waiting, caller, ended = list(reversed(jobs)), getcurrent(), []
        workers = min(most, len(jobs))

        def worker() -> None:
            while waiting:
                waiting.pop()()
            ended.append(True)
            if len(ended) == workers:
                self._wake(caller, 0.0)

        for _ in range(workers):
            self.start(worker)
        self._run.switch()

    def run(self) -> None:
        """Go on until no process has anything left to do; raises what one of them raised."""
        while self._due:
            self.now, _, process = heapq.heappop(self._due)
            process.switch()

    def _wake(self, process: greenlet, seconds: float) -> None:
        heapq.heappush(self._due, (self.now + seconds, next(self._order), process))
