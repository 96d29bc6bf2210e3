"""A clock that nothing but pauses moves: real code that waits, run in no time and always in the same order."""

import heapq
from collections.abc import Callable, Sequence
from itertools import count
from threading import Semaphore, Thread


class SimulatedTime:
    """Runs processes, each a thread of which one runs at a time: until it pauses, and then whose time comes next."""

    def __init__(self) -> None:
        self.now = 0.0
        self._order = count()
        self._due: list[tuple[float, int, Semaphore]] = []
        self._ended = Semaphore(0)
        self._error: BaseException | None = None

    def clock(self) -> float:
        """Seconds since the beginning."""
        return self.now

    def start(self, process: Callable[[], None]) -> None:
        """Begin a process at this time."""
        turn = Semaphore(0)

        def run() -> None:
            turn.acquire()
            try:
                process()
            except BaseException as error:
                self._error = error
            if self._due and self._error is None:
                self._next().release()
            else:
                self._ended.release()

        Thread(target=run, daemon=True).start()
        self._wake(turn, 0.0)

    def pause(self, seconds: float) -> None:
        """Let so much time pass, in the process that calls this."""
        turn = Semaphore(0)
        self._wake(turn, seconds)
        self._wait(turn)

    def together(self, jobs: Sequence[Callable[[], None]], most: int) -> None:
        """Run these jobs in processes, so many at a time, and come back when all have ended."""
        waiting, all_ended, ended = list(reversed(jobs)), Semaphore(0), []
        workers = min(most, len(jobs))

        def worker() -> None:
            while waiting:
                waiting.pop()()
            ended.append(True)
            if len(ended) == workers:
                self._wake(all_ended, 0.0)

        for _ in range(workers):
            self.start(worker)
        self._wait(all_ended)

    def run(self) -> None:
        """Go on until no process has anything left to do; raises what one of them raised."""
        self._next().release()
        self._ended.acquire()
        if self._error is not None:
            raise self._error

    def _wake(self, turn: Semaphore, seconds: float) -> None:
        heapq.heappush(self._due, (self.now + seconds, next(self._order), turn))

    def _next(self) -> Semaphore:
        self.now, _, turn = heapq.heappop(self._due)
        return turn

    def _wait(self, turn: Semaphore) -> None:
        following = self._next()
        if following is not turn:
            following.release()
            turn.acquire()
